// The limits of a profile. No flag lifts them, and --yes does not either.

import type {Setting} from '../config/profiles.js';
import type {Connection, Limits} from '../config/resolve.js';
import {CentavoError} from '../errors.js';
import {decimalPesos, formatPesos} from '../pesos.js';
import type {ChangeDetails, NamedAmount} from './change.js';
import type {GuardPort} from './port.js';

type Limited = Pick<Connection, 'limits' | 'profile'>;
type Asking = Pick<GuardPort['io'], 'canAsk'>;

const refused = (code: string, message: string, why: string, hint?: string): CentavoError =>
  new CentavoError('refused', message, {code, why, hint, applied: 'no'});

/** The profile that a limit is of. */
const ownerOf = ({source}: Setting<unknown>): string => source.replace('profile ', '');

const said = (name: string, limit: Setting<unknown>, {profile}: Limited): string =>
  `${name} is set by ${limit.source}${ownerOf(limit) === profile.value ? '' : ' for this key'}. --yes does not override it.`;

/** The command that lifts a limit is only shown to a person. */
const way = (words: string, limit: Setting<unknown>, {canAsk}: Asking): string =>
  canAsk ? `${words} --profile ${ownerOf(limit)}` : 'A person can change this limit at a terminal.';

/** @throws CentavoError kind `refused`, code `read_only` */
export function checkReadOnly(connection: Limited, io: Asking): void {
  const {readOnly} = connection.limits;
  if (!readOnly.value) return;
  throw refused(
    'read_only',
    `the profile ${ownerOf(readOnly)} is read-only.`,
    said('read_only', readOnly, connection),
    way('To allow it: centavo config set read_only false', readOnly, io),
  );
}

/** @param count undefined when it is not known yet. @throws CentavoError kind `refused`, code `too_many_statements` */
export function checkStatements(connection: Limited, count: number | undefined, io: Asking): void {
  const {maxStatementsPerRun: limit} = connection.limits;
  if (limit.value === undefined || count === undefined || count <= limit.value) return;
  throw refused(
    'too_many_statements',
    `this would change ${count} billing statements; the limit is ${limit.value} for one command.`,
    said('max_statements_per_run', limit, connection),
    way(`To allow it: centavo config set max_statements_per_run ${count}`, limit, io),
  );
}

/** @param amounts undefined when they are not known yet. @throws CentavoError kind `refused`, code `over_max_amount` or `unknown_amount` */
export function checkAmounts(connection: Limited, amounts: readonly NamedAmount[] | undefined, io: Asking): void {
  const limit = connection.limits.maxAmount;
  if (limit.value === undefined) return;
  for (const {of, amount} of amounts ?? []) {
    if (typeof amount !== 'bigint') throw unknownAmount(connection, of, amount.unknown, io);
    if (amount <= BigInt(limit.value)) continue;
    throw refused(
      'over_max_amount',
      `the ${of} comes to ${formatPesos(amount)}; the limit is ${formatPesos(limit.value)} for one change.`,
      said('max_amount', limit, connection),
      way(`To allow it: centavo config set max_amount ${decimalPesos(amount)}`, limit, io),
    );
  }
}

/** @param why what keeps the amount from being known */
export function unknownAmount(connection: Limited, of: string, why: string, io: Asking): CentavoError {
  const {maxAmount} = connection.limits;
  return refused(
    'unknown_amount',
    `the amount of ${of} is not known; the limit is ${formatPesos(maxAmount.value!)} for one change.`,
    `${why} ${said('max_amount', maxAmount, connection)}`,
    way('To remove the limit: centavo config unset max_amount', maxAmount, io),
  );
}

/** Whether a limit depends on something that must still be read. */
export const mustBeRead = ({maxAmount, maxStatementsPerRun}: Limits, {amounts, statements}: ChangeDetails): boolean =>
  (maxAmount.value !== undefined && amounts === undefined) ||
  (maxStatementsPerRun.value !== undefined && statements === undefined);
