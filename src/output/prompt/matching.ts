// Finds choices by part of a name or detail, ignoring accents and case.

import {normalizeName, wordsOfName} from '../../input/names.js';

interface Folded {
  readonly name: string;
  readonly words: readonly string[];
  readonly detail: string;
}

export interface NamedChoice {
  readonly name: string;
  /** Text that tells objects with the same name apart, such as an email address. */
  readonly detail?: string;
}

const cache = new WeakMap<NamedChoice, Folded>();

function foldedOf(choice: NamedChoice): Folded {
  let folded = cache.get(choice);
  if (folded) return folded;
  const name = normalizeName(choice.name);
  folded = {name, words: wordsOfName(choice.name), detail: normalizeName(choice.detail ?? '')};
  cache.set(choice, folded);
  return folded;
}

/** Returns names that start with the text, then names with all its words, then choices that contain the text. */
export function matchingChoices<T extends NamedChoice>(all: readonly T[], query: string): T[] {
  const text = normalizeName(query.trim());
  if (text === '') return [...all];
  const words = wordsOfName(text);
  const ranked: T[][] = [[], [], [], []];
  for (const choice of all) {
    const {name, words: nameWords, detail} = foldedOf(choice);
    if (name === text || name.startsWith(`${text} `)) ranked[0]!.push(choice);
    else if (name.startsWith(text)) ranked[1]!.push(choice);
    else if (words.length > 0 && words.every((word) => nameWords.some((part) => part.startsWith(word))))
      ranked[2]!.push(choice);
    else if (name.includes(text) || detail.includes(text)) ranked[3]!.push(choice);
  }
  return ranked.flat();
}
