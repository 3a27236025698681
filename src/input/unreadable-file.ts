// Builds the error for an input file that cannot be read, and suggests a file with a similar name.

import {readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {CentavoError, usageError} from '../common/errors.js';
import {shellQuote} from '../common/next-text.js';
import {codeOf, systemReason} from '../common/system-errors.js';
import {nearestWord} from './nearest.js';

/** @param error returned unchanged if it is a CentavoError @param name the file as errors name it */
export function unreadableFile(path: string, error: unknown, name = path): CentavoError {
  if (error instanceof CentavoError) return error;
  const hint = codeOf(error) === 'ENOENT' ? filesBeside(path) : undefined;
  return usageError('unreadable_file', `${name} cannot be read.`, {why: systemReason(error), hint});
}

function filesBeside(path: string): string | undefined {
  const folder = dirname(path);
  try {
    const names = readdirSync(folder, {withFileTypes: true}).flatMap((each) => (each.isDirectory() ? [] : each.name));
    const near = nearestWord(basename(path), names);
    if (near !== undefined) return `Did you mean ${shellQuote(join(folder, near))}?`;
    return `To list the files there: ls ${shellQuote(folder)}`;
  } catch {
    // The folder is missing too.
    return undefined;
  }
}
