// The time at the account that a command speaks to.

import type {Context} from '../context.js';

/** Unix seconds. The sandbox has a clock of its own, which can be advanced. @throws CentavoError kind `config`, `auth` or `local_io` */
export async function accountNow(context: Context): Promise<number> {
  const {mode} = await context.connection();
  return mode === 'sandbox' ? (await context.sandbox()).now() : context.now();
}
