// Finds names by any part of them, without regard to accents.

import {normalizeName, wordsOfName} from '../../input/names.js';

interface Folded {
  readonly name: string;
  readonly words: readonly string[];
  readonly detail: string;
}

export interface NamedChoice {
  readonly name: string;
  /** Tells objects with the same name apart: an email address. */
  readonly detail?: string;
}

const known = new WeakMap<NamedChoice, Folded>();

function foldedOf(one: NamedChoice): Folded {
  let folded = known.get(one);
  if (folded) return folded;
  const name = normalizeName(one.name);
  folded = {name, words: wordsOfName(one.name), detail: normalizeName(one.detail ?? '')};
  known.set(one, folded);
  return folded;
}

/** Names that begin with the text, then those with a word for each of its words, then those that contain it. */
export function matchingChoices<T extends NamedChoice>(all: readonly T[], query: string): T[] {
  const text = normalizeName(query.trim());
  if (text === '') return [...all];
  const words = wordsOfName(text);
  const ranked: T[][] = [[], [], [], []];
  for (const one of all) {
    const {name, words: own, detail} = foldedOf(one);
    if (name === text || name.startsWith(`${text} `)) ranked[0]!.push(one);
    else if (name.startsWith(text)) ranked[1]!.push(one);
    else if (words.length > 0 && words.every((word) => own.some((each) => each.startsWith(word)))) ranked[2]!.push(one);
    else if (name.includes(text) || detail.includes(text)) ranked[3]!.push(one);
  }
  return ranked.flat();
}
