// Notes that a list has more rows, with the command for the next page.

import {shellQuote} from '../../input/shell-quoting.js';
import type {OutputStreams} from '../../output/streams.js';
import type {Rendering} from '../../output/result.js';

/**
 * Prints in every format: only JSON with `has_more` tells a program about more rows.
 * @param without flags with a value, which are removed from the typed words; `added` replaces them
 * @param options `rendering` of a list whose JSON has `has_more`
 */
export function suggestNextPage(
  {io, rendering}: {readonly io: OutputStreams; readonly rendering?: Rendering},
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
