// Builds the error for an input file that cannot be read, and suggests a file with a similar name.

import {readdirSync} from 'node:fs';
import {basename, dirname} from 'node:path';
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
    const files = readdirSync(folder, {withFileTypes: true}).filter((each) => !each.isDirectory());
    const near = nearestWord(
      basename(path),
      files.map(({name}) => name),
    );
    return near === undefined
      ? `To list the files there: ls ${shellQuote(folder)}`
      : `Did you mean ${shellQuote(path.slice(0, path.lastIndexOf(basename(path))) + near)}?`;
  } catch {
    // The folder is missing too.
    return undefined;
  }
}
