// Whether a file of keys, or its folder, is nobody's but ours: checked before it is believed, with the command that mends it.

import {closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats} from 'node:fs';
import {CentavoError} from '../../errors.js';
import {shellQuote} from '../../input/shell-words.js';

const FOR_OTHERS = 0o077;

/** Id of the user this process runs as; undefined where files have no owner, as on Windows: then no modes are checked. */
export type User = number | undefined;

/**
 * @throws CentavoError kind `config`, code `unsafe_file`, unless this is a folder of ours alone
 * @throws the system's error where there is none
 */
export function checkKeyFolder(path: string, user: User): void {
  const stats = lstatSync(path);
  if (!stats.isDirectory())
    throw unsafe(path, describeOther(stats, 'folder'), `Move it away: mv ${shellQuote(path)} …`);
  checkOwn(path, stats, user, '700');
}

/**
 * The text of a file that is ours alone. A link is not followed.
 * @throws CentavoError kind `config`, code `unsafe_file`
 * @throws the system's error where there is none, or it cannot be read
 */
export function readKeyFile(path: string, user: User): string {
  const found = lstatSync(path);
  if (!found.isFile())
    throw unsafe(path, describeOther(found, 'file'), `Remove it, and log in again: rm ${shellQuote(path)}`);
  // It may have been exchanged since: what is opened is no link, and what is checked is what is read.
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  try {
    checkOwn(path, fstatSync(file), user, '600');
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function checkOwn(path: string, {mode, uid}: Stats, user: User, wanted: string): void {
  if (user === undefined) return;
  if (uid !== user)
    throw unsafe(
      path,
      `It belongs to user ${uid}, and this is user ${user}.`,
      'Run centavo as the user whose keys these are.',
    );
  if (mode & FOR_OTHERS)
    throw unsafe(
      path,
      `Others may use it: its mode is ${(mode & 0o7777).toString(8)}.`,
      `Make it yours alone: chmod ${wanted} ${shellQuote(path)}`,
    );
}

const describeOther = (stats: Stats, wanted: string): string =>
  stats.isSymbolicLink() ? 'It is a symbolic link.' : `It is no ${wanted}.`;

const unsafe = (path: string, why: string, hint: string): CentavoError =>
  new CentavoError('config', `${path} is not safe to keep keys in.`, {code: 'unsafe_file', why, hint, applied: 'no'});
