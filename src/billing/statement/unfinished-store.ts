// Stores unfinished statements of the guided flow, one file per statement.

import type {StatementItem} from '../../input/items.js';
import type {IsProcessAlive, ProcessIdentity} from '../../processes/process-identity.js';
import {privateFolder} from '../../storage/private-folder.js';

/** An existing customer, or a new one without an id. */
export interface UnfinishedPayer {
  readonly id?: string;
  readonly name: string;
  readonly email: string;
}

/** The API objects created so far for one statement. */
export interface CreatedObjects {
  /** The plan's key, which a retry uses again. */
  readonly key: string;
  /** Unix seconds when the key was generated. */
  readonly since: number;
  /** True if a run was started: it may have created objects that are not saved here. */
  readonly attempted: boolean;
  readonly statementId?: string;
  readonly customerId?: string;
  /** The contents sent in the last attempt, to detect later edits. */
  readonly contents?: string;
  /** True if the statement is finalized, and can no longer change. */
  readonly opened?: boolean;
  readonly sendInDoubt?: boolean;
}

export interface UnfinishedContent {
  readonly step: string;
  readonly payer?: UnfinishedPayer;
  /** The name of a new customer whose email address is still missing. */
  readonly name?: string;
  readonly items: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  readonly description?: string;
  /** Invalid pasted lines, each with its line number in the paste and its index among the items. */
  readonly invalidLines?: readonly {readonly number: number; readonly text: string; readonly at: number}[];
  /** The text in the input field, not yet entered. */
  readonly typing: string;
  /** Texts by step that were typed, and not entered. */
  readonly halfTyped?: Readonly<Record<string, string>>;
  /** Unix seconds of the last change. */
  readonly at: number;
  readonly made: CreatedObjects;
}

export interface UnfinishedStatement extends UnfinishedContent {
  readonly file: string;
}

/** `write` and `remove` throw the system's error. */
export interface UnfinishedStore {
  /** Returns the account's saved drafts that no other running process owns, newest first. */
  readonly list: () => UnfinishedStatement[];
  readonly write: (file: string, unfinished: UnfinishedContent) => void;
  readonly remove: (file: string) => void;
  readonly newFile: () => string;
}

export interface UnfinishedStoreOptions {
  readonly directory: string;
  readonly profile: string;
  /** The account's id, for file names. */
  readonly account: string;
  readonly owner: ProcessIdentity;
  readonly isAlive: IsProcessAlive;
  readonly token: () => string;
}

const SUFFIX = '.json';
const folderIn = (directory: string): string => `${directory}/unfinished`;

export function unfinishedStore(options: UnfinishedStoreOptions): UnfinishedStore {
  const {directory, profile, account, owner, isAlive, token} = options;
  const files = privateFolder(folderIn(directory), token);
  const prefix = `${account.replace(/[^A-Za-z0-9.-]/g, '_')}_`;
  return {
    list: () =>
      files
        .read(prefix, SUFFIX)
        .flatMap(({name, text}) => {
          const saved = parse(text);
          const inUse = saved?.owner.pid !== owner.pid && saved && isAlive(saved.owner.pid, saved.owner.startedAt);
          return saved && !inUse ? [{...saved.unfinished, file: name}] : [];
        })
        .sort((a, b) => b.at - a.at),
    write: (file, unfinished) => files.write(file, JSON.stringify({version: 1, owner, profile, unfinished})),
    remove: (file) => files.remove(file),
    newFile: () => `${prefix}${token()}${SUFFIX}`,
  };
}

interface SavedFile {
  readonly owner: ProcessIdentity;
  readonly profile: string;
  readonly unfinished: UnfinishedContent;
}

/** Returns the saved drafts of a profile, for all its accounts. `forget` deletes them. */
export function unfinishedStatementsOf(
  directory: string,
  profile: string,
): {readonly found: readonly UnfinishedContent[]; readonly forget: () => void} {
  const files = privateFolder(folderIn(directory), () => '');
  const saved = files.read('', SUFFIX).flatMap(({name, text}) => {
    const parsed = parse(text);
    return parsed?.profile === profile ? [{name, unfinished: parsed.unfinished}] : [];
  });
  return {
    found: saved.map(({unfinished}) => unfinished),
    forget: () => {
      for (const {name} of saved) files.remove(name);
    },
  };
}

/** Returns the content of a file; undefined if the file is damaged or has a later version. */
function parse(text: string): SavedFile | undefined {
  try {
    const {version, owner, profile, unfinished} = JSON.parse(text) as SavedFile & {version: number};
    const {halfTyped = {}, invalidLines = [], items, made, step, typing, at} = unfinished;
    const {pid, startedAt} = owner;
    const whole =
      version === 1 &&
      [profile, step, typing, made.key, ...Object.values(halfTyped)].every((each) => typeof each === 'string') &&
      [at, made.since, pid, startedAt].every((each) => typeof each === 'number') &&
      items.every(
        (item) => typeof item.description === 'string' && isCount(item.quantity) && isCount(item.unit_price),
      ) &&
      invalidLines.every(
        (each) => typeof each.text === 'string' && isCount(each.number) && Number.isSafeInteger(each.at),
      );
    return whole ? {owner, profile, unfinished} : undefined;
  } catch {
    return undefined;
  }
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) > 0;
