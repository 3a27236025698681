// Explains system, network and library errors by code. Their messages may quote a secret, and are never printed.

import {CentavoError, type ErrorDetails} from './errors.js';

interface LocalReason {
  /** A sentence without its full stop. */
  readonly why: string;
  readonly hint?: string;
  readonly code?: string;
  readonly retryable?: boolean;
}

const DISK_FULL: LocalReason = {
  why: 'The disk is full',
  hint: 'Free up disk space, then try again.',
  code: 'disk_full',
  retryable: true,
};
const NO_PERMISSION: LocalReason = {
  why: 'Permission was denied',
  hint: 'Give your user access to the file and its folder.',
};
const READ_ONLY: LocalReason = {...NO_PERMISSION, why: 'It is read-only'};
const BROKEN_DISK: LocalReason = {why: 'The disk reported an error'};
const MANY_OPEN: LocalReason = {why: 'Too many files are open', retryable: true};
const DAMAGED_FILE: LocalReason = {why: 'The file is damaged', code: 'damaged_file'};

const LOCAL_REASONS: Readonly<Record<string, LocalReason>> = {
  EACCES: NO_PERMISSION,
  EBADF: {why: 'It is closed'},
  EBUSY: {why: 'Another program is using it', code: 'file_busy', retryable: true},
  EDQUOT: {...DISK_FULL, why: 'The disk quota is used up'},
  EEXIST: {why: 'It already exists'},
  EFBIG: {why: 'The file has reached the maximum size', code: 'disk_full'},
  EIO: BROKEN_DISK,
  EISDIR: {why: 'It is a folder'},
  ELOOP: {why: 'It is a symbolic link, which centavo does not follow'},
  EMFILE: MANY_OPEN,
  ENAMETOOLONG: {why: 'Its name is too long'},
  ENFILE: MANY_OPEN,
  ENOENT: {why: 'It does not exist'},
  ENOSPC: DISK_FULL,
  ENOTDIR: {why: 'Part of the path is a file instead of a folder'},
  ENXIO: {why: 'It is not a file'},
  EPERM: NO_PERMISSION,
  EROFS: {...READ_ONLY, why: 'The disk is read-only'},
  SQLITE_BUSY: {
    why: 'Another program is using it and did not release it in time',
    hint: 'Try again when that program has ended.',
    code: 'file_busy',
    retryable: true,
  },
  SQLITE_CANTOPEN: {why: 'It is a folder, or its folder cannot be written'},
  SQLITE_CORRUPT: DAMAGED_FILE,
  SQLITE_FULL: DISK_FULL,
  SQLITE_IOERR: BROKEN_DISK,
  SQLITE_NOTADB: {...DAMAGED_FILE, why: 'The file is not a database'},
  SQLITE_PERM: NO_PERMISSION,
  SQLITE_READONLY: READ_ONLY,
};

/** Codes of failed writes to a stream. */
const WRITE_ERRORS = new Set(['EDQUOT', 'EFBIG', 'EIO', 'ENOSPC']);

/** SQLite's codes for problems with the file. Any other code is a bug in centavo. */
const SQLITE_NUMBERS: Readonly<Record<number, string>> = {
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  26: 'SQLITE_NOTADB',
};

/** SQLITE_IOERR_SHMSIZE: no space for the index of a write-ahead log. */
const NO_SPACE = 4874;

/** Error code from the system or the database: `ENOSPC`, `SQLITE_FULL`. */
export function codeOf(error: unknown): string | undefined {
  // node:sqlite gives a number as `errcode`, libsql as `rawCode`; its low byte is the kind.
  const {code, rawCode, errcode = rawCode} = (error ?? {}) as {code?: unknown; errcode?: unknown; rawCode?: unknown};
  if (typeof errcode === 'number') return errcode === NO_SPACE ? 'SQLITE_FULL' : SQLITE_NUMBERS[errcode & 0xff];
  return typeof code === 'string' ? code : undefined;
}

export const systemError = (code: string): Error => Object.assign(new Error(code), {code});

const knownReason = (error: unknown): LocalReason | undefined => {
  const code = codeOf(error) ?? '';
  return Object.hasOwn(LOCAL_REASONS, code) ? LOCAL_REASONS[code] : undefined;
};

/** True if this machine is at fault, as with a full disk, and not a bug in centavo. */
export const isLocalFault = (error: unknown): boolean => knownReason(error) !== undefined;

/** True if a file could not be used: locked, full, damaged or not permitted. */
export const isFileError = (error: unknown): error is CentavoError =>
  error instanceof CentavoError && error.kind === 'local_io';

export const isDatabaseDamage = (error: unknown): boolean => knownReason(error)?.code === DAMAGED_FILE.code;

/** Returns the reason as a sentence, without text from the error's message. */
export function systemReason(error: unknown): string {
  const reason = knownReason(error);
  if (reason) return `${reason.why}.`;
  const code = codeOf(error) ?? '';
  return /^[A-Z][A-Z0-9_]{2,40}$/.test(code) ? `The system reported ${code}.` : `It failed (${errorName(error)}).`;
}

/** Class name of an error, such as `TypeError`; never its message. */
export const errorName = (error: unknown): string => {
  const name = error instanceof Error ? error.constructor.name || error.name : typeof error;
  return /^[A-Za-z_$][\w$]{0,60}$/.test(name) ? name : 'Error';
};

/** Makes an error about a local file. @param message the failed action, with the path */
export function localError(message: string, cause: unknown, details: ErrorDetails = {}): CentavoError {
  if (cause instanceof CentavoError) return cause;
  const {why: _, ...known} = knownReason(cause) ?? {why: ''};
  return new CentavoError('local_io', message, {applied: 'no', why: systemReason(cause), ...known, ...details, cause});
}

/** Returns any thrown value as a CentavoError. All but faults of this machine count as bugs. */
export function toCentavoError(thrown: unknown): CentavoError {
  if (thrown instanceof CentavoError) return thrown;
  const {path, syscall} = (thrown ?? {}) as {path?: unknown; syscall?: unknown};
  if (syscall === 'uv_cwd')
    return localError('the current folder cannot be used.', thrown, {
      why: 'It was deleted, or you have no access to it.',
      applied: 'unknown',
      hint: 'Change to another folder: cd ~',
    });
  // Most programs that fail to start emit an event; the others throw here.
  if (syscall === 'spawn' && knownReason(thrown))
    return localError('a program cannot be started.', thrown, {applied: 'unknown'});
  if (typeof path === 'string' && knownReason(thrown))
    return localError(`${path} cannot be used.`, thrown, {applied: 'unknown'});
  // oclif's help bypasses our writer: its error on a full disk has no path.
  if (WRITE_ERRORS.has(codeOf(thrown) ?? ''))
    return localError('the output could not be written.', thrown, {applied: undefined});
  const [frame = ''] = framesOf(thrown);
  const place = /([^\\/(:]+:\d+):\d+\)?$/.exec(frame)?.[1];
  return new CentavoError('internal', `a bug in centavo: ${errorName(thrown)}${place ? ` at ${place}` : ''}.`, {
    hint: 'Run the command again with --verbose for details, and report it.',
    applied: 'unknown',
    cause: thrown,
  });
}

/** Matches a stack frame in a file of the program or of Node. The frame of a `data:` URL contains code. */
const FRAME = /^ {4}at (?:[^()]*(?:\[as [^\]]*\] )?\()?(?:file:\/\/|node:|\/|[A-Z]:\\)[^()]*:\d+:\d+\)?$/;

/** Returns the frames of an error's stack, without its message. */
export function framesOf(thrown: unknown): string[] {
  if (!(thrown instanceof Error) || typeof thrown.stack !== 'string') return [];
  const message = String(thrown.message);
  const at = thrown.stack.indexOf(message);
  // The stack keeps the original message: after a later change, the text cannot be told from the frames.
  const below = at < 0 ? '' : thrown.stack.slice(at + message.length);
  return below.split('\n').filter((line) => FRAME.test(line));
}

/** Error code, or empty. If several addresses of a host failed, the code of the first. */
export function networkCodeOf(error: unknown): string {
  const {code, errors} = error as {code?: string; errors?: readonly {code?: string}[]};
  return code ?? errors?.[0]?.code ?? '';
}
