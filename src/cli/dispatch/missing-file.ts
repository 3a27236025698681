// Suggests a file with a similar name for an input file that does not exist.

import {readdirSync} from 'node:fs';
import {basename, dirname, join, resolve} from 'node:path';
import type {CentavoError} from '../../common/errors.js';
import {shellQuote} from '../../common/next-text.js';
import {toCentavoError} from '../../common/system-errors.js';
import {nearestWord} from '../../input/nearest.js';

/** Returns errors with another cause unchanged. */
export function suggestFile(error: CentavoError): CentavoError {
  const {code, path} = (error.details.cause ?? {}) as NodeJS.ErrnoException;
  if (code !== 'ENOENT' || path === undefined) return error;
  const folder = dirname(path);
  try {
    // Fails if the current folder is gone, which is then the cause.
    resolve(path);
    const names = readdirSync(folder, {withFileTypes: true}).flatMap((each) => (each.isDirectory() ? [] : each.name));
    const near = nearestWord(basename(path), names);
    const list = `To list the files there: ls ${shellQuote(folder)}`;
    return error.with({hint: near === undefined ? list : `Did you mean ${shellQuote(join(folder, near))}?`});
  } catch (fault) {
    // Otherwise the folder is missing too.
    return (fault as NodeJS.ErrnoException).syscall === 'uv_cwd' ? toCentavoError(fault) : error;
  }
}
