// Warns of fields of --fields that no object has. Loaded only if there is one.

import {nearestWord} from '../input/nearest.js';
import type {CommandResult} from './result.js';
import {headings, normalizedHeader} from './row-formats.js';
import type {OutputStreams} from './streams.js';

/** Warns of fields that no object has, because they may be misspelled. Prints them as null or empty. */
export function warnUnknownFields(
  result: CommandResult,
  unknown: readonly string[],
  {note}: Pick<OutputStreams, 'note'>,
): void {
  for (const field of unknown) {
    const names = headings(result).flatMap(({path, header}) => [path, normalizedHeader(header)]);
    const near = nearestWord(normalizedHeader(field), names);
    const known = near ? `Did you mean ${near}?` : `Fields: ${result.all.map(({path}) => path).join(', ')}`;
    note(`Warning: no field ${JSON.stringify(field)}, so it is empty. ${known}`, {style: 'yellow', warns: true});
  }
}
