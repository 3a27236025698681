// The limits of a profile. No flag lifts them, and --yes does not either.

import type {Setting} from '../config/profiles.js';
import type {Connection, Limits} from '../config/resolve.js';
import {CentavoError} from '../errors.js';
import {decimalPesos, formatPesos} from '../pesos.js';
import type {ChangeDetails, NamedAmount} from './change.js';

type Limited = Pick<Connection, 'limits' | 'profile'>;

const refused = (code: string, message: string, why: string, hint?: string): CentavoError =>
  new CentavoError('refused', message, {code, why, hint, applied: 'no'});

const set = (name: string, value: number | string, {profile}: Limited): string =>
  `centavo config set ${name} ${value} --profile ${profile.value}`;

const said = (name: string, {source}: Setting<unknown>): string =>
  `${name} is set by ${source}. --yes does not override it.`;

/** @throws CentavoError kind `refused`, code `read_only` */
export function checkReadOnly(connection: Limited): void {
  const {readOnly} = connection.limits;
  if (!readOnly.value) return;
  throw refused(
    'read_only',
    `the profile ${connection.profile.value} is read-only.`,
    said('read_only', readOnly),
    `To allow it: ${set('read_only', 'false', connection)}`,
  );
}

/** @param count undefined when it is not known yet. @throws CentavoError kind `refused`, code `too_many_statements` */
export function checkStatements(connection: Limited, count: number | undefined): void {
  const {maxStatementsPerRun: limit} = connection.limits;
  if (limit.value === undefined || count === undefined || count <= limit.value) return;
  throw refused(
    'too_many_statements',
    `this would change ${count} billing statements; the limit is ${limit.value} for one command.`,
    said('max_statements_per_run', limit),
    `To allow it: ${set('max_statements_per_run', count, connection)}`,
  );
}

/** @param amounts undefined when they are not known yet. @throws CentavoError kind `refused`, code `over_max_amount` or `unknown_amount` */
export function checkAmounts(connection: Limited, amounts: readonly NamedAmount[] | undefined): void {
  const limit = connection.limits.maxAmount;
  if (limit.value === undefined) return;
  for (const {of, amount} of amounts ?? []) {
    if (typeof amount !== 'bigint') throw unknownAmount(connection, of, amount.unknown);
    if (amount <= BigInt(limit.value)) continue;
    throw refused(
      'over_max_amount',
      `the ${of} comes to ${formatPesos(amount)}; the limit is ${formatPesos(limit.value)} for one change.`,
      said('max_amount', limit),
      `To allow it: ${set('max_amount', decimalPesos(amount), connection)}`,
    );
  }
}

/** @param why what keeps the amount from being known */
export function unknownAmount({limits: {maxAmount}, profile}: Limited, of: string, why: string): CentavoError {
  return refused(
    'unknown_amount',
    `the amount of ${of} is not known; the limit is ${formatPesos(maxAmount.value!)} for one change.`,
    `${why} ${said('max_amount', maxAmount)}`,
    `To remove the limit: centavo config unset max_amount --profile ${profile.value}`,
  );
}

/** Whether a limit depends on something that must still be read. */
export const mustBeRead = ({maxAmount, maxStatementsPerRun}: Limits, {amounts, statements}: ChangeDetails): boolean =>
  (maxAmount.value !== undefined && amounts === undefined) ||
  (maxStatementsPerRun.value !== undefined && statements === undefined);
