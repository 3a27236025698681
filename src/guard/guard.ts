// The checks before a change: key mode, profile limits, --live and confirmation. An allowed change goes into the history.

import type {History} from '../history/history.js';
import type {Client} from '../client/client.js';
import {destination, localName, type Connection} from '../config/resolve.js';
import {CentavoError, refusedError, messageAndReason} from '../common/errors.js';
import type {Agent} from '../processes/agents.js';
import type {PlannedChange, PlannedChangeDetails} from './change.js';
import {checkLimits, checkReadOnly, unknownAmount, type CanAsk} from './limits.js';

interface CanConfirm {
  readonly canConfirm: boolean;
  /** `handsOver`: true if an agent asks for the change. Nothing is sent, so no flag is needed. */
  readonly settings: {readonly quiet?: boolean; readonly handsOver?: boolean};
}

interface GuardContext {
  readonly connection: () => Promise<Connection>;
  readonly client: () => Promise<Pick<Client, 'perform'>>;
  readonly io: CanAsk &
    CanConfirm & {
      readonly spoken: boolean;
      readonly note: (line: string, options?: {readonly style?: 'dim' | 'red' | 'yellow'}) => void;
    };
  readonly agent: () => Agent | undefined;
  /** Set if an agent runs the command: stores its live change for a person, or refuses it. Always throws. */
  readonly flags: {readonly handOver?: (details: PlannedChangeDetails, change: PlannedChange) => Promise<never>};
  readonly prompt: {readonly confirm: (question: string) => Promise<boolean>};
  readonly history: () => Promise<Pick<History, 'begin'>>;
}

export interface GuardFlags {
  readonly live?: boolean;
  readonly yes?: boolean;
  /** Also deletes customers who owe, without asking. */
  readonly 'allow-owed'?: boolean;
  readonly 'allow-duplicate'?: boolean;
}

/** Returns the connection. @param operation id of a read @throws CentavoError kind `auth` or `refused` if the key forbids it */
export function guardConnection(connection: Connection, operation?: string): Connection {
  const {isPublic, key, profile} = connection;
  if (isPublic && operation !== 'payment-intents:get')
    throw new CentavoError('auth', 'a public key can only get a payment intent, with its client secret.', {
      code: 'public_key',
      hint: key?.stored
        ? `To store a secret key: centavo login --profile ${profile.value}`
        : 'Set CENTAVO_SECRET_KEY to a secret key, or store one: centavo login',
      applied: 'no',
    });
  return connection;
}

export function guardIntent(connection: Connection, flags: GuardFlags, what: string, io: CanAsk & CanConfirm): void {
  checkReadOnly(connection, io);
  guardFlags(connection, flags, what, io);
}

function guardFlags({mode}: Connection, {live, yes}: GuardFlags, what: string, {canConfirm, settings}: CanConfirm) {
  if (mode !== 'live' || settings.handsOver) return;
  if (!live) throw refusedError('live_not_given', `this would ${what} in live mode.`, {override: '--live'});
  if (yes || canConfirm) return;
  throw refusedError('cannot_confirm', `this would ${what} in live mode and needs confirmation.`, {override: '--yes'});
}

/** Runs the checks that read nothing, before the objects of a change are read. */
export async function guardBeforeReading(
  port: Pick<GuardContext, 'connection' | 'io'>,
  flags: GuardFlags,
  known: PlannedChangeDetails,
): Promise<void> {
  const connection = await port.connection();
  guardConnection(connection);
  checkReadOnly(connection, port.io);
  checkLimits(connection, known, port.io);
  guardFlags(connection, flags, known.action, port.io);
}

/** A live change that an agent asks for is a person's, unless the profile allows it. */
export const isForPerson = ({mode, limits}: Connection, agent: Agent | undefined): boolean =>
  mode === 'live' && agent !== undefined && (agent.isAlwaysAsked || limits.agents.value !== 'allow');

/** Allows, confirms or refuses a change, and records it in the history. The change must be sent directly after this. */
export async function guardChange(port: GuardContext, flags: GuardFlags, change: PlannedChange): Promise<void> {
  const connection = await port.connection();
  const {mode} = connection;
  const live = mode === 'live';
  const {known} = change;
  await guardBeforeReading(port, flags, known);
  const agent = live ? port.agent() : undefined;
  const handsOver = isForPerson(connection, agent);
  const asks = handsOver || (!flags.yes && port.io.canConfirm && (live || change.needsConfirmation));
  // A missing key is reported before anything is asked or recorded.
  await port.client();
  const reads = asks && (live || change.destroys === true || change.isUnnamed === true);
  const details = await readDetails(connection, change, reads, port.io);
  checkLimits(connection, details, port.io);
  if (handsOver) return port.flags.handOver!(details, change);
  if (asks) {
    if (!(await port.prompt.confirm(`${destination(connection)}: ${details.action}?`)))
      throw refusedError('not_confirmed', 'not confirmed.');
    // A question may stay open for hours, so the facts are read again.
    if (details !== known)
      checkSame(connection, details, await readDetails(connection, change, reads, port.io), port.io);
  }

  const noted = change.destroys && !asks && !port.io.settings.quiet ? await detailsForNote(change, details) : undefined;
  port.io.note(`${port.io.spoken ? 'To' : '→'} ${destination(connection)}${noted ? `: ${noted.action}` : ''}`, {
    style: live ? 'red' : 'dim',
  });
  const {amount, subject} = details;
  const history = await port.history();
  const {command, ids, file, reason, paidAt} = change;
  const names = (noted ?? details).names;
  const total = amount !== undefined && amount <= Number.MAX_SAFE_INTEGER ? {amount: Number(amount)} : {};
  await change.lastRead?.();
  history.begin(
    {
      profile: localName(connection),
      mode,
      agent: agent?.variable,
      command,
      ids,
      names,
      file,
      reason,
      paidAt,
      ...subject,
      ...total,
    },
    change.lastLook,
  );
}

/** Returns the text of a dry run. An object that cannot be read is named by its id. */
export const formatDryRun = async (connection: Connection, change: PlannedChange): Promise<string> =>
  `${destination(connection)}: this would ${(await detailsForNote(change, change.known)).action}.`;

/** Reads the name of a single object. If the read fails, the id is used, because the change does not need the name. */
async function detailsForNote({ids, known, lookUp}: PlannedChange, details: PlannedChangeDetails) {
  if (!lookUp || details !== known || ids.length !== 1) return details;
  try {
    return await lookUp();
  } catch (error) {
    if (error instanceof CentavoError && error.kind !== 'interrupted') return known;
    throw error;
  }
}

function checkSame(connection: Connection, confirmed: PlannedChangeDetails, current: PlannedChangeDetails, io: CanAsk) {
  checkLimits(connection, current, io);
  if (current.action === confirmed.action) return;
  throw refusedError('changed_meanwhile', 'the account changed after you confirmed.', {
    why: `This would now ${current.action}.`,
    hint: 'Run the command again to confirm the change as it is now.',
  });
}

async function readDetails(connection: Connection, change: PlannedChange, confirms: boolean, io: CanAsk) {
  const {maxAmount, maxStatementsPerRun} = connection.limits;
  const {amounts, statements} = change.known;
  const limitNeedsMore =
    (maxAmount.value !== undefined && amounts === undefined) ||
    (maxStatementsPerRun.value !== undefined && statements === undefined);
  if (!change.lookUp || (!confirms && !limitNeedsMore)) return change.known;
  try {
    return await change.lookUp();
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    // With a limit, a change whose amount cannot be read is refused.
    if (!confirms && maxAmount.value !== undefined && error.kind !== 'interrupted')
      throw unknownAmount(connection, 'this change', messageAndReason(error), io);
    throw error.with({applied: 'no'});
  }
}
