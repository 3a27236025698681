// Why a file cannot be used, in words.

import type {Stats} from 'node:fs';

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'Permission was denied',
  EDQUOT: 'The disk quota is used up',
  EFBIG: 'The file has reached the largest size that is allowed here',
  EIO: 'The disk reported an error',
  EISDIR: 'It is a folder',
  ELOOP: 'It is a symbolic link, which is not followed',
  ENOSPC: 'The disk is full',
  ENOTDIR: 'A part of the path is a file where a folder belongs',
  ENXIO: 'It is not a file',
  EPERM: 'Permission was denied',
  EROFS: 'The disk is read-only',
};

export const codeOf = (error: unknown): string | undefined => (error as {code?: string}).code;

/** One sentence. */
export const reasonOf = (error: unknown): string => `${REASONS[codeOf(error) ?? ''] ?? (error as Error).message}.`;

/** @throws Error for what is a pipe, a device or a folder */
export function assertFile(stats: Stats): void {
  if (!stats.isFile()) throw Object.assign(new Error('It is not a file'), {code: 'ENXIO'});
}
