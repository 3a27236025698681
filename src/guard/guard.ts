// What stands between a command and a change: the key's mode, the profile's limits, the word --live, a person's yes, and the history.

import {destination, type Connection} from '../config/resolve.js';
import {CentavoError} from '../errors.js';
import type {Change} from './change.js';
import {checkAmounts, checkReadOnly, checkStatements, mustBeRead, unknownAmount} from './limits.js';
import type {GuardFlags, GuardPort} from './port.js';
import type {Stakes} from './stakes.js';

const refused = (code: string, message: string, details: {why?: string; hint?: string} = {}): CentavoError =>
  new CentavoError('refused', message, {code, applied: 'no', ...details});

/** A public key goes only where it may. @throws CentavoError kind `auth` */
export function guardKey({isPublic, key, profile}: Connection, operation: string | undefined): void {
  if (!isPublic || operation === 'payment-intents:get') return;
  throw new CentavoError('auth', 'a public key can only get a payment intent, with its client secret.', {
    code: 'public_key',
    hint: key?.stored
      ? `Store the secret key: centavo login --profile ${profile.value}`
      : 'Put the secret key in CENTAVO_SECRET_KEY, or store it: centavo login',
    applied: 'no',
  });
}

/** What was typed must fit the key. @throws CentavoError kind `refused` */
export function guardMode({mode, key}: Connection, {live}: GuardFlags): void {
  if (!live || mode === 'live') return;
  throw refused('wrong_mode', '--live was given, and this is not live mode.', {
    why: mode === 'sandbox' ? 'The sandbox has no live mode.' : `${key!.masked} from ${key!.source} is a test key.`,
    hint: 'Leave --live out, or use a live key.',
  });
}

/** What can be said of a change before anything is known of it. @throws CentavoError kind `refused` */
export function guardIntent(connection: Connection, flags: GuardFlags, what: string): void {
  guardMode(connection, flags);
  checkReadOnly(connection);
  guardLive(connection, flags, what);
}

function guardLive({mode}: Connection, {live}: GuardFlags, what: string): void {
  if (mode !== 'live' || live) return;
  throw refused('live_not_given', `this would ${what} in live mode.`, {
    why: 'A live key changes nothing without --live on the command line.',
    hint: 'Add --live if that is what you want.',
  });
}

/**
 * Lets a change through, asks first, or refuses; says on stderr where it goes, and records that it is about to be made.
 * Nothing may stand between this and the sending.
 * @throws CentavoError kind `refused`, or what kept it from being looked at or recorded; nothing was sent
 */
export async function guardChange(port: GuardPort, flags: GuardFlags, change: Change): Promise<void> {
  const connection = await port.connection();
  const {mode, profile} = connection;
  const live = mode === 'live';
  const {told} = change;
  guardKey(connection, change.operation);
  guardMode(connection, flags);
  checkReadOnly(connection);
  checkStakes(connection, told);
  guardLive(connection, flags, told.what);

  const canAsk = port.io.canAsk && !flags['no-input'];
  if (live && !flags.yes && !canAsk)
    throw refused('cannot_confirm', `this would ${told.what} in live mode, and there is no terminal to confirm at.`, {
      hint: 'Add --yes to confirm.',
    });
  const asks = !flags.yes && canAsk && (live || change.asks);
  // A key that is not there is found before anything is asked or recorded.
  await port.client();
  const read = () => look(connection, change, live && asks);
  const stakes = await read();
  checkStakes(connection, stakes);
  if (asks) {
    if (!(await port.prompt.confirm(`${destination(connection)}: ${stakes.what}?`)))
      throw refused('not_confirmed', 'not confirmed.');
    // A question may stand for hours: what was agreed to is what must be there now.
    if (stakes !== told) checkSame(connection, stakes, await read());
  }

  port.io.note(port.io.paint(live ? 'red' : 'dim', `→ ${destination(connection)}`, 'stderr'));
  const {amount} = stakes;
  const audit = await port.audit();
  audit.begin({
    profile: profile.value,
    mode,
    command: change.command,
    ids: change.ids,
    ...(amount !== undefined && amount <= Number.MAX_SAFE_INTEGER && {amount: Number(amount)}),
  });
}

/** @throws CentavoError kind `refused`: code `changed_meanwhile`, or that of a limit */
function checkSame(connection: Connection, agreed: Stakes, now: Stakes): void {
  checkStakes(connection, now);
  if (now.what === agreed.what) return;
  throw refused('changed_meanwhile', 'what was asked about has changed meanwhile.', {
    why: `This would now ${now.what}.`,
    hint: 'Run the command again to be asked about it as it is.',
  });
}

function checkStakes(connection: Connection, {amounts, statements}: Stakes): void {
  checkStatements(connection, statements);
  checkAmounts(connection, amounts);
}

/** Reads what is at stake where somebody is to confirm it, or a limit needs to know it. */
async function look(connection: Connection, {told, look: read}: Change, confirms: boolean): Promise<Stakes> {
  const {limits} = connection;
  if (!confirms && !mustBeRead(limits, told)) return told;
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    // What a limit is about must be known: that it cannot be read is a reason to refuse.
    if (!confirms && limits.maxAmount.value !== undefined && error.kind !== 'interrupted')
      throw unknownAmount(connection, 'this change', [error.message, error.details.why].filter(Boolean).join(' '));
    throw new CentavoError(error.kind, error.message, {...error.details, applied: 'no'});
  }
}
