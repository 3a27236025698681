// Ids of statements whose numbers were looked up in one account: a hint that saves reading the list, never an answer.

import {shapeOfId} from '../api/registry.js';
import type {User} from '../storage/private-file.js';
import {forget, recall, remember} from '../storage/remembered.js';

const FOLDER = 'statement-numbers';
/** Newer ones replace older ones. At some 60 bytes each, this is about half a megabyte. */
const MOST = 10_000;

export interface KnownNumbersOptions {
  /** Where centavo keeps its data. */
  readonly directory: string;
  readonly profile: string;
  readonly mode: string;
  /** None in the sandbox. */
  readonly baseUrl?: string;
  readonly user: User;
  readonly token: () => string;
}

export interface KnownNumbers {
  /** The id of the statement that had this number, in any case, when it was last seen. */
  readonly idOf: (number: string) => string | undefined;
  /** Keeps the ids of these numbers. @param gone numbers that are no longer true */
  readonly learn: (ids: ReadonlyMap<string, string>, gone?: readonly string[]) => void;
}

export function knownNumbers({directory, profile, mode, baseUrl, user, token}: KnownNumbersOptions): KnownNumbers {
  const account = encodeURIComponent(baseUrl === undefined ? mode : `${mode} ${baseUrl}`);
  const path = `${folderOf(directory, profile)}/${account}.json`;
  let known = recall(path, user);
  return {
    idOf: (number) => {
      const id = known.get(number.toUpperCase());
      return id !== undefined && shapeOfId(id)?.prefix === 'bstm_' ? id : undefined;
    },
    learn: (ids, gone = []) => {
      const learnt = new Map([...ids].map(([number, id]) => [number.toUpperCase(), id]));
      const lost = gone.map((number) => number.toUpperCase()).filter((number) => !learnt.has(number));
      const isNews = [...learnt].some(([number, id]) => known.get(number) !== id);
      if (!isNews && !lost.some((number) => known.has(number))) return;
      const kept = [...known].filter(([number]) => !learnt.has(number) && !lost.includes(number));
      known = new Map([...learnt, ...kept]);
      remember(path, known, {most: MOST, token: token()});
    },
  };
}

const folderOf = (directory: string, profile: string): string =>
  `${directory}/${FOLDER}/${encodeURIComponent(profile)}`;

/** Forgets the numbers of a profile, whatever the account. */
export const forgetNumbers = (directory: string, profile: string): void => forget(folderOf(directory, profile));
