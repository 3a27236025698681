// The checks before a change: the mode of the key, the limits of the profile, --live, a confirmation, and the history.

import {destination, type Connection} from '../config/resolve.js';
import {CentavoError, whatAndWhy} from '../errors.js';
import type {Change, ChangeDetails} from './change.js';
import type {GuardPort} from './port.js';
import {checkAmounts, checkReadOnly, checkStatements, mustBeRead, unknownAmount} from './limits.js';

/** What the command line says to the guard. */
export interface GuardFlags {
  readonly live?: boolean;
  readonly yes?: boolean;
}

/** Whether a person is there. */
type Asking = Pick<GuardPort['io'], 'canAsk'>;

const refused = (code: string, message: string, details: {why?: string; hint?: string} = {}): CentavoError =>
  new CentavoError('refused', message, {code, applied: 'no', ...details});

/**
 * Whether this account may be used for an operation at all.
 * @param operation its id in the contract, for a read; a public key may do one of them and no change
 * @throws CentavoError kind `auth` for a public key, `refused` for --live without a live key
 */
export function guardConnection(connection: Connection, flags: GuardFlags, operation?: string): void {
  guardKey(connection, operation);
  guardMode(connection, flags);
}

function guardKey({isPublic, key, profile}: Connection, operation?: string): void {
  if (!isPublic || operation === 'payment-intents:get') return;
  throw new CentavoError('auth', 'a public key can only get a payment intent, with its client secret.', {
    code: 'public_key',
    hint: key?.stored
      ? `To store a secret key: centavo login --profile ${profile.value}`
      : 'Set CENTAVO_SECRET_KEY to a secret key, or store one: centavo login',
    applied: 'no',
  });
}

function guardMode({mode, key}: Connection, {live}: GuardFlags): void {
  if (!live || mode === 'live') return;
  throw refused('wrong_mode', '--live works only with a live key.', {
    why: mode === 'sandbox' ? 'The sandbox has no live mode.' : `${key!.masked} from ${key!.source} is a test key.`,
    hint: 'Remove --live, or use a live key.',
  });
}

/** The checks that need no details of the change. @throws CentavoError kind `refused` */
export function guardIntent(connection: Connection, flags: GuardFlags, what: string, io: Asking): void {
  guardMode(connection, flags);
  checkReadOnly(connection, io);
  guardLive(connection, flags, what);
  guardConfirmation(connection, flags, what, io);
}

function guardLive({mode}: Connection, {live}: GuardFlags, what: string): void {
  if (mode !== 'live' || live) return;
  throw refused('live_not_given', `this would ${what} in live mode.`, {
    why: 'Live changes need --live on the command line.',
    hint: 'If you want this, add --live.',
  });
}

function guardConfirmation({mode}: Connection, {yes}: GuardFlags, what: string, {canAsk}: Asking): void {
  if (mode !== 'live' || yes || canAsk) return;
  throw refused('cannot_confirm', `this would ${what} in live mode, and there is no terminal to confirm it.`, {
    hint: 'To confirm, add --yes.',
  });
}

/**
 * The checks that need nothing to be read: for a change whose objects must be looked up first.
 * @param known what the command line says
 * @throws CentavoError kind `refused`
 */
export async function guardLookUp(
  port: Pick<GuardPort, 'connection' | 'io'>,
  flags: GuardFlags,
  known: ChangeDetails,
): Promise<void> {
  const connection = await port.connection();
  guardConnection(connection, flags);
  checkReadOnly(connection, port.io);
  checkLimits(connection, known, port.io);
  guardLive(connection, flags, known.what);
  guardConfirmation(connection, flags, known.what, port.io);
}

/**
 * Lets a change through, asks first, or refuses. Prints on stderr where it goes, and records that it is about to be made.
 * The change must be sent directly after this.
 * @throws CentavoError kind `refused`, or what kept it from being looked at or recorded; nothing was sent
 */
export async function guardChange(port: GuardPort, flags: GuardFlags, change: Change): Promise<void> {
  const connection = await port.connection();
  const {mode, profile} = connection;
  const live = mode === 'live';
  const {known} = change;
  await guardLookUp(port, flags, known);
  const asks = !flags.yes && port.io.canAsk && (live || change.asks);
  // A missing key is reported before anything is asked or recorded.
  await port.client();
  const reads = asks && (live || change.destroys === true);
  const details = await lookUp(connection, change, reads, port.io);
  checkLimits(connection, details, port.io);
  if (asks) {
    if (!(await port.prompt.confirm(`${destination(connection)}: ${details.what}?`)))
      throw refused('not_confirmed', 'not confirmed.');
    // A question may stay open for hours, so the facts are read again.
    if (details !== known) checkSame(connection, details, await lookUp(connection, change, reads, port.io), port.io);
  }

  const what = change.destroys && !asks && !port.io.settings.quiet ? `: ${await whatToSay(change, details)}` : '';
  port.io.note(`→ ${destination(connection)}${what}`, {style: live ? 'red' : 'dim'});
  const {amount, subject} = details;
  const audit = await port.audit();
  audit.begin({
    profile: profile.value,
    mode,
    command: change.command,
    ids: change.ids,
    ...subject,
    ...(change.reason !== undefined && {reason: change.reason}),
    ...(amount !== undefined && amount <= Number.MAX_SAFE_INTEGER && {amount: Number(amount)}),
  });
}

/** What is destroyed is named where nobody is asked, too; by its id alone if it cannot be read, since the change does not depend on it. */
async function whatToSay({ids, known, lookUp}: Change, details: ChangeDetails): Promise<string> {
  if (!lookUp || details !== known || ids.length !== 1) return details.what;
  try {
    return (await lookUp()).what;
  } catch (error) {
    if (error instanceof CentavoError && error.kind !== 'interrupted') return known.what;
    throw error;
  }
}

/** @throws CentavoError kind `refused`: code `changed_meanwhile`, or that of a limit */
function checkSame(connection: Connection, agreed: ChangeDetails, now: ChangeDetails, io: Asking): void {
  checkLimits(connection, now, io);
  if (now.what === agreed.what) return;
  throw refused('changed_meanwhile', 'what you confirmed has changed in the meantime.', {
    why: `This would now ${now.what}.`,
    hint: 'Run the command again to confirm the change as it is now.',
  });
}

function checkLimits(connection: Connection, {amounts, statements}: ChangeDetails, io: Asking): void {
  checkStatements(connection, statements, io);
  checkAmounts(connection, amounts, io);
}

/** Reads the details of a change if a person is to confirm it or a limit depends on them. */
async function lookUp(connection: Connection, change: Change, confirms: boolean, io: Asking): Promise<ChangeDetails> {
  const {limits} = connection;
  if (!change.lookUp || (!confirms && !mustBeRead(limits, change.known))) return change.known;
  try {
    return await change.lookUp();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    // With a limit, an amount that cannot be read is refused.
    if (!confirms && limits.maxAmount.value !== undefined && error.kind !== 'interrupted')
      throw unknownAmount(connection, 'this change', whatAndWhy(error), io);
    throw error.with({applied: 'no'});
  }
}
