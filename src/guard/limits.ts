// The limits of a profile. No flag overrides them, not even --yes.

import type {Setting} from '../config/profiles.js';
import type {Connection} from '../config/resolve.js';
import {refusedError, type CentavoError} from '../common/errors.js';
import {decimalPesos, formatPesos} from '../common/pesos.js';
import type {PlannedChangeDetails} from './change.js';

export interface CanAsk {
  /** True if a user can answer at a terminal. */
  readonly canAsk: boolean;
}

type Limited = Pick<Connection, 'limits' | 'profile'>;

const ownerOf = ({source}: Setting<unknown>): string => source.replace('profile ', '');

const limitReason = (name: string, limit: Setting<unknown>, {profile}: Limited): string =>
  `${name} is set by ${limit.source}${ownerOf(limit) === profile.value ? '' : ' for this key'}. --yes does not override it.`;

/** Returns the command that lifts a limit, but only for a user at a terminal. */
const liftLimitHint = (command: string, limit: Setting<unknown>, {canAsk}: CanAsk): string =>
  canAsk ? `${command} --profile ${ownerOf(limit)}` : 'A person can change this limit at a terminal.';

export function checkReadOnly(connection: Limited, io: CanAsk): void {
  const {readOnly} = connection.limits;
  if (!readOnly.value) return;
  throw refusedError('read_only', `the profile ${ownerOf(readOnly)} is read-only.`, {
    why: limitReason('read_only', readOnly, connection),
    hint: liftLimitHint('To allow it: centavo config set read_only false', readOnly, io),
  });
}

export function checkLimits(
  connection: Limited,
  {amounts = [], statements = 0}: PlannedChangeDetails,
  io: CanAsk,
): void {
  const {maxAmount, maxStatementsPerRun: maxStatements} = connection.limits;
  if (maxStatements.value !== undefined && statements > maxStatements.value)
    throw refusedError(
      'too_many_statements',
      `this would change ${statements} billing statements; the limit is ${maxStatements.value} for one command.`,
      {
        why: limitReason('max_statements_per_run', maxStatements, connection),
        hint: liftLimitHint(`To allow it: centavo config set max_statements_per_run ${statements}`, maxStatements, io),
      },
    );
  if (maxAmount.value === undefined) return;
  for (const {label, amount} of amounts) {
    if (typeof amount !== 'bigint') throw unknownAmount(connection, label, amount.unknown, io);
    if (amount <= BigInt(maxAmount.value)) continue;
    throw refusedError(
      'over_max_amount',
      `the ${label} comes to ${formatPesos(amount)}; the limit is ${formatPesos(maxAmount.value)} for one change.`,
      {
        why: limitReason('max_amount', maxAmount, connection),
        hint: liftLimitHint(`To allow it: centavo config set max_amount ${decimalPesos(amount)}`, maxAmount, io),
      },
    );
  }
}

export function unknownAmount(connection: Limited, label: string, why: string, io: CanAsk): CentavoError {
  const {maxAmount} = connection.limits;
  return refusedError(
    'unknown_amount',
    `the amount of ${label} is not known; the limit is ${formatPesos(maxAmount.value!)} for one change.`,
    {
      why: `${why} ${limitReason('max_amount', maxAmount, connection)}`,
      hint: liftLimitHint('To remove the limit: centavo config unset max_amount', maxAmount, io),
    },
  );
}
