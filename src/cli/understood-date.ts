// Prints how centavo understood a date, before anything is sent.

import type {Context} from '../context/context.js';
import {endOfManilaDay, relativeDay, longDay} from '../common/manila.js';
import {formatTime} from '../output/format.js';

export async function printUnderstoodDate(context: Context, flag: string, at: number): Promise<void> {
  const {io} = context;
  const now = await context.accountNow();
  const time = at === endOfManilaDay(at) ? '' : `, ${formatTime(at).slice(-5)}`;
  io.note(`  ${flag}: ${longDay(at)}${time} in Manila, ${relativeDay(at, now)}`, {style: 'dim'});
  if (at < now) io.note(`Warning: --${flag} is in the past.`, {style: 'yellow'});
}
