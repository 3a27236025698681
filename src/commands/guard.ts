// What stands between a command and a change: the key's mode, the word --live, and a person's yes.

import type {Context} from '../context.js';
import {destination, type Connection} from '../config/resolve.js';
import {CentavoError} from '../errors.js';
import type {GlobalFlags} from './base.js';

export interface Change {
  /** What will happen, for the question: `void billing statement bstm_…`. */
  readonly what: string;
  /** What is destroyed is asked about in every mode, at a terminal. */
  readonly destroys: boolean;
  /** Public keys may do one thing only, and it is no change. */
  readonly operation?: string;
}

const refused = (message: string, details: {why?: string; hint?: string}): CentavoError =>
  new CentavoError('refused', message, {applied: 'no', ...details});

/** A public key goes only where it may. @throws CentavoError kind `auth` */
export function guardKey({isPublic}: Connection, operation: string | undefined): void {
  if (!isPublic || operation === 'payment-intents:get') return;
  throw new CentavoError('auth', 'a public key can only get a payment intent, with its client secret.', {
    code: 'public_key',
    hint: 'Put the secret key in CENTAVO_SECRET_KEY.',
    applied: 'no',
  });
}

/** What was typed must fit the key. @throws CentavoError kind `refused` */
export function guardMode({mode}: Connection, {live}: GlobalFlags): void {
  if (live && mode !== 'live') {
    throw refused('--live was given, and this is not live mode.', {
      why: mode === 'sandbox' ? 'The sandbox has no live mode.' : 'The key is a test key.',
      hint: 'Leave --live out, or use a live key.',
    });
  }
}

/**
 * Lets a change through, asks first, or refuses; says on stderr where it goes.
 * @throws CentavoError kind `refused`; nothing was sent
 */
export async function guardChange(context: Context, flags: GlobalFlags, change: Change): Promise<void> {
  const connection = await context.connection();
  guardKey(connection, change.operation);
  guardMode(connection, flags);
  const live = connection.mode === 'live';
  if (live && !flags.live) {
    throw refused(`this would ${change.what} in live mode.`, {
      why: 'A live key changes nothing without --live on the command line.',
      hint: 'Add --live if that is what you want.',
    });
  }
  const asks = context.io.canAsk && !flags['no-input'];
  if ((live || (change.destroys && asks)) && !flags.yes) {
    if (!asks)
      throw refused(`this would ${change.what} in live mode, and there is no terminal to confirm at.`, {
        hint: 'Add --yes to confirm.',
      });
    const yes = await context.prompt.confirm(`${destination(connection)}: ${change.what}?`);
    if (!yes) throw refused('not confirmed.', {});
  }
  context.io.note(context.io.paint(live ? 'red' : 'dim', `→ ${destination(connection)}`, 'stderr'));
}
