// The lines in which releases before 0.7.0 kept the history: taken over once, also where several processes come at once.

import {closeSync, constants, lstatSync, mkdirSync, openSync, readSync} from 'node:fs';
import {basename, dirname, join} from 'node:path';
import {codeOf} from '../ground/system-errors.js';
import {setAside, type Database} from '../storage/sqlite.js';
import {NOT_SENT, SENT} from './queries.js';
import {LogWriter} from './writer.js';

export const formerFileOf = (path: string): string => join(dirname(path), 'history.jsonl');

/** Bytes read at once, so that a long file takes no more memory than a short one. */
const PIECE = 1 << 16;
const LINE_BREAK = 0x0a;
const SENDING: readonly unknown[] = ['send', SENT, NOT_SENT];

/**
 * Reads what is new in the file, which gets another name: a folder in its place keeps an earlier release from changing
 * something that this history would not have. A process of that release may write one more line into the renamed file.
 */
export function readFormerFile(database: Database, path: string, isNew: boolean): void {
  if (!isNew && !isFile(path) && newsOf(database, path).length === 0) return;
  database.transaction(() => {
    do {
      // A file of this name that was read before is gone.
      if (isFile(path)) database.prepare('DELETE FROM former WHERE name = ?').run(basename(setAside(path)));
      try {
        mkdirSync(path);
      } catch (error) {
        // It is there, or an earlier release has made a new file.
        if (codeOf(error) !== 'EEXIST') throw error;
      }
    } while (isFile(path));
    for (const {aside, from} of newsOf(database, path)) {
      const log = new LogWriter(database);
      let unreadable = 0;
      const bytes = readLines(aside, from, (line, isTorn) => {
        for (const read of readEntries(line, log)) if (!read && !isTorn) unreadable++;
      });
      database
        .prepare(
          `INSERT INTO former (name, bytes, unreadable) VALUES (?, ?, ?) ON CONFLICT (name)
           DO UPDATE SET bytes = excluded.bytes, unreadable = unreadable + excluded.unreadable`,
        )
        .run(basename(aside), bytes, unreadable);
    }
  });
}

const isFile = (path: string): boolean => lstatSync(path, {throwIfNoEntry: false})?.isFile() ?? false;

/** The renamed files that are longer than they were when they were read. */
function newsOf(database: Database, path: string): {readonly aside: string; readonly from: number}[] {
  const news = [];
  for (let number = 1; ; number++) {
    const aside = `${path}.old-${number}`;
    const stats = lstatSync(aside, {throwIfNoEntry: false});
    if (!stats) return news;
    const sql = 'SELECT bytes FROM former WHERE name = ?';
    const from = database.prepare(sql).get<{bytes: number}>(basename(aside))?.bytes ?? 0;
    if (stats.isFile() && stats.size > from) news.push({aside, from});
  }
}

/** @param onLine `isTorn`: without its line break, as a killed process may leave the last one @returns where the file ends */
function readLines(path: string, from: number, onLine: (line: string, isTorn: boolean) => void): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const piece = Buffer.alloc(PIECE);
    let rest: Buffer[] = [];
    let at = from;
    for (let count; (count = readSync(file, piece, 0, PIECE, at)) > 0; at += count) {
      const bytes = piece.subarray(0, count);
      const end = bytes.lastIndexOf(LINE_BREAK);
      if (end >= 0) {
        const lines = Buffer.concat([...rest, bytes.subarray(0, end)]).toString('utf8');
        for (const line of lines.split('\n')) onLine(line, false);
        rest = [];
      }
      rest.push(Buffer.from(bytes.subarray(end + 1)));
    }
    onLine(Buffer.concat(rest).toString('utf8'), true);
    return at;
  } finally {
    closeSync(file);
  }
}

/**
 * Usually one; none in an empty line. Behind an incomplete line another entry may follow: it begins where its type does,
 * since a quotation mark within a text is written `\"`.
 * @returns for each whether it could be read
 */
function readEntries(line: string, log: LogWriter): boolean[] {
  if (line.trim() === '') return [];
  if (readEntry(line, log)) return [true];
  const parts = line.split(/(?=\{"type":")/);
  return parts.length === 1 ? [false] : parts.map((part) => readEntry(part, log));
}

/** Types of a later version count as read. */
function readEntry(text: string, log: LogWriter): boolean {
  const value = parse(text);
  if (typeof value?.type !== 'string') return false;
  const {type, id, at, command, result, step, path, sha256} = value;
  if (type === 'file') {
    if (typeof path !== 'string' || typeof sha256 !== 'string') return false;
    log.file(path, sha256, integer(at));
    return true;
  }
  if (type !== 'begun' && type !== 'ended' && type !== 'step') return true;
  if (typeof id !== 'string') return false;
  const ids = Array.isArray(value.ids) ? value.ids.filter((item) => typeof item === 'string') : [];
  const seen = {number: string(value.number), customer: string(value.customer), amount: integer(value.amount)};
  if (type === 'begun') {
    if (typeof command !== 'string' || integer(at) === null) return false;
    const [profile, mode, reason] = [string(value.profile) ?? '', string(value.mode) ?? '', string(value.reason)];
    log.begin(id, at as number, {profile, mode, command, ids, reason, ...seen});
    return true;
  }
  const isRight = type === 'step' ? typeof step === 'string' && integer(at) !== null : typeof result === 'string';
  const change = log.changeOf(id);
  // An end without its beginning says nothing.
  if (!isRight || change === undefined) return isRight;
  if (type === 'step') {
    // The steps of sending a single statement may name none.
    const named = ids.length > 0 || !SENDING.includes(step) ? ids : log.objectsOf(change);
    log.step(change, step as string, at as number, named);
  } else {
    log.add(change, ids);
    const ending = {result: result as string, exitCode: integer(value.exit_code), applied: string(value.applied)};
    log.end(change, integer(at), ending, seen);
  }
  return true;
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(text) ?? undefined) as Record<string, unknown> | undefined;
  } catch {
    return undefined;
  }
}

const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const integer = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);
