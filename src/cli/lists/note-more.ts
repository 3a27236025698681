// Says that a list was cut, and the command that gets the rest.

import {shellQuote} from '../../input/shell-words.js';
import type {Io} from '../../output/io.js';
import type {Rendering} from '../../output/result.js';

/**
 * In every form, since a program has no other sign that it did not get everything, save in the JSON of a list with `has_more`.
 * @param typed the whole command line @param without a flag with a value, which is left out of it @param added what gets the rest
 * @param rendering the form of the list, if its JSON has `has_more`
 */
export function noteMore(
  {io, rendering}: {readonly io: Io; readonly rendering?: Rendering},
  typed: readonly string[],
  without: RegExp,
  added: readonly string[],
  count?: number,
): void {
  if (rendering?.format === 'json' && rendering.jq === undefined) return;
  const flag = new RegExp(`^--(${without.source})$`);
  const kept = typed.filter((word, at) => !flag.test(word.replace(/=.*/s, '')) && !flag.test(typed[at - 1] ?? ''));
  const command = ['centavo', ...kept, ...added].map(shellQuote).join(' ');
  io.note(`${count === undefined ? 'More' : `${count} more`}: ${command}`, {style: 'dim', warns: true});
}
