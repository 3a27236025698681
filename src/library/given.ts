// Checks what a test gives to the kit, for programs without types.

import {shownId} from '../client/client.js';
import {usageError} from '../common/errors.js';
import {nearestWord} from '../input/nearest.js';

/** Refuses a word that is none of these, and proposes the nearest. @param what `an event` */
export function checkWord(what: string, word: unknown, known: readonly string[]): void {
  if (known.includes(word as string)) return;
  const nearest = typeof word === 'string' ? nearestWord(word, known) : undefined;
  throw usageError('invalid_choice', `${JSON.stringify(word)} is not ${what}.`, {
    hint: nearest ? `Did you mean ${nearest}?` : `Known are: ${known.join(', ')}.`,
  });
}

/** Refuses options that a verb does not have. */
export function checkOptions(verb: string, options: object, known: readonly string[]): void {
  for (const name of Object.keys(Object(options))) checkWord(`an option of ${verb}`, name, known);
}

/** Returns the id of an object, whole or not. */
export function idIn(target: unknown): string {
  const id = typeof target === 'string' ? target : (target as {readonly id?: unknown} | undefined | null)?.id;
  if (typeof id === 'string') return id;
  throw usageError('invalid_id', `${shownId(target)} is not an id, and has none.`, {
    hint: target instanceof Promise ? 'Write await before the promise.' : 'Give an object of the API, or its id.',
  });
}
