// Remembers answers about spreadsheet columns in one file of the data folder, for all profiles and modes.

import {mkdirSync, rmSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {CentavoError, nextCommand} from '../common/errors.js';
import {isJsonObject} from '../common/json.js';
import {codeOf, localError} from '../common/system-errors.js';
import type {ConfigurationFileOptions} from './configuration-file.js';
import type {RememberedAnswer} from '../input/spreadsheet/decide.js';
import {PRIVATE_FOLDER_MODE, readSettingsFile} from '../storage/private-file.js';
import {replaceFile} from '../storage/replace-file.js';

export interface RememberedColumn extends RememberedAnswer {
  /** The header in lower case. */
  readonly column: string;
}

/** The answers for all sheets with one set of headers. */
export interface RememberedSheet {
  /** From 1. It stays the same when other answers are forgotten. */
  readonly number: number;
  /** All headers in lower case, sorted. */
  readonly headers: readonly string[];
  readonly answers: readonly RememberedColumn[];
  /** The last file with these headers, as typed. */
  readonly file: string;
  /** Unix seconds. */
  readonly used_at: number;
}

const MAX_SHEETS = 100;

/** Every change reads the file again just before it replaces the file. @param now unix seconds */
export function openColumnMemory(options: ConfigurationFileOptions & {readonly now: () => number}) {
  const {directory, user, token, now} = options;
  const path = join(directory(), 'columns.json');
  /** @throws CentavoError code `damaged_columns` */
  const read = (): RememberedSheet[] => {
    let document: unknown;
    try {
      document = JSON.parse(readSettingsFile(path, user));
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return [];
      if (!(error instanceof SyntaxError)) throw localError(`${path} cannot be read.`, error);
    }
    const sheets = isJsonObject(document) && document.version === 1 ? document.sheets : undefined;
    if (Array.isArray(sheets) && sheets.every(isSheet)) return sheets;
    throw new CentavoError('config', `${path} cannot be used.`, {
      code: 'damaged_columns',
      why: 'It is damaged, or a newer version of centavo wrote it.',
      next: [nextCommand('To forget all answers about columns', 'columns forget --all')],
    });
  };
  const write = (sheets: readonly RememberedSheet[]): void => {
    try {
      mkdirSync(dirname(path), {recursive: true, mode: PRIVATE_FOLDER_MODE});
      replaceFile(path, `${JSON.stringify({version: 1, sheets}, null, 1)}\n`, token());
    } catch (error) {
      throw localError(`${path} cannot be written.`, error);
    }
  };
  return {
    read,
    /** Keeps the answers of a sheet in place of its earlier ones. The set unused for longest gives way. @returns its number */
    remember: ({headers, answers, file}: Pick<RememberedSheet, 'answers' | 'file' | 'headers'>): number => {
      const sheets = read().sort((one, other) => other.used_at - one.used_at);
      const before = sheets.find((each) => each.headers.join('\n') === headers.join('\n'));
      const number = before?.number ?? Math.max(0, ...sheets.map((each) => each.number)) + 1;
      const others = sheets.filter((each) => each !== before).slice(0, MAX_SHEETS - 1);
      // Not before the others, even if the clock was put back.
      write([{number, headers, answers, file, used_at: Math.max(now(), sheets[0]?.used_at ?? 0)}, ...others]);
      return number;
    },
    /** Forgets these numbers, or everything, for which the file need not be readable. */
    forget: (numbers: readonly number[] | 'all'): void => {
      if (numbers === 'all') rmSync(path, {force: true});
      else write(read().filter(({number}) => !numbers.includes(number)));
    },
  };
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === 'string');

const isSeen = (value: unknown): boolean =>
  isJsonObject(value) && [value.values ?? [], value.shapes ?? [], value.loud].every(isTexts);

const isSheet = (value: unknown): value is RememberedSheet =>
  isJsonObject(value) &&
  [value.number, value.used_at].every(Number.isSafeInteger) &&
  isTexts([value.file]) &&
  isTexts(value.headers) &&
  Array.isArray(value.answers) &&
  value.answers.every((each) => isJsonObject(each) && isTexts([each.column, each.means]) && isSeen(each.seen));
