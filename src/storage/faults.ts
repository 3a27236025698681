// What can happen to any file, told apart from a bug in what is asked of it.

import {CentavoError} from '../errors.js';

/** SQLite's own numbers: busy, read-only, disk error, full, cannot be opened. */
const NUMBERS = new Set([5, 8, 10, 13, 14]);
const NAMES = /^SQLITE_(BUSY|READONLY|IOERR|FULL|CANTOPEN)/;

/** Whether a database could not be used at this moment, because it is locked or its disk is full or failing. */
export function isFileFault(error: unknown): boolean {
  if (error instanceof CentavoError) return error.kind === 'local_io';
  const {code, errcode} = (error ?? {}) as {code?: unknown; errcode?: unknown};
  // The database of Node gives a number, whose low byte is the kind; libsql a name.
  return (typeof errcode === 'number' && NUMBERS.has(errcode & 0xff)) || (typeof code === 'string' && NAMES.test(code));
}
