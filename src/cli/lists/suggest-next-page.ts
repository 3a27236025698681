// Prints the command for the next page of a list.

import {commandLine} from '../../common/next-text.js';
import type {OutputStreams} from '../../output/streams.js';
import type {Rendering} from '../../output/result.js';

/**
 * Prints nothing for JSON with `has_more`, which already tells a script about more rows.
 * @param without flags to remove from the typed words, with their values; `added` replaces them
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
  const end = kept.includes('--') ? kept.indexOf('--') : kept.length;
  const command = commandLine([...kept.slice(0, end), ...added, ...kept.slice(end)]);
  io.note(`${count === undefined ? 'More' : `${count} more`}: ${command}`, {style: 'dim', warns: true});
}
