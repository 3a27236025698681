// Suggests a file with a similar name for an input file that does not exist.

import {readdirSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import type {CentavoError} from '../../common/errors.js';
import {shellQuote} from '../../common/next-text.js';
import {nearestWord} from '../../input/nearest.js';

/** Returns errors with another cause unchanged. */
export function suggestFile(error: CentavoError): CentavoError {
  const {code, path} = (error.details.cause ?? {}) as NodeJS.ErrnoException;
  if (code !== 'ENOENT' || path === undefined) return error;
  const folder = dirname(path);
  try {
    const names = readdirSync(folder, {withFileTypes: true}).flatMap((each) => (each.isDirectory() ? [] : each.name));
    const near = nearestWord(basename(path), names);
    const list = `To list the files there: ls ${shellQuote(folder)}`;
    return error.with({hint: near === undefined ? list : `Did you mean ${shellQuote(join(folder, near))}?`});
  } catch {
    // The folder is missing too.
    return error;
  }
}
