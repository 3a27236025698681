// The time at the account that a command speaks to, and a date that was typed as it is seen from there.

import type {Context} from '../context.js';
import {endOfManilaDay, fromNow, longDay} from '../manila.js';
import {formatTime} from '../output/format.js';

/** Unix seconds. The sandbox has a clock of its own, which can be advanced. @throws CentavoError kind `config`, `auth` or `local_io` */
export async function accountNow(context: Context): Promise<number> {
  const {mode} = await context.connection();
  return mode === 'sandbox' ? (await context.sandbox()).now() : context.now();
}

/** Shows how a date was understood, and warns if it is in the past. @param at unix seconds */
export async function noteDate(context: Context, flag: string, at: number): Promise<void> {
  const {io} = context;
  const now = await accountNow(context);
  const time = at === endOfManilaDay(at) ? '' : `, ${formatTime(at).slice(-5)}`;
  io.note(`  ${flag}: ${longDay(at)}${time} in Manila, ${fromNow(at, now)}`, {style: 'dim'});
  if (at < now) io.note(`Warning: --${flag} is in the past.`, {style: 'yellow'});
}
