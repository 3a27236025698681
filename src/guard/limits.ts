// The limits of a profile. No flag overrides them, not even --yes.

import type {Setting} from '../config/profiles.js';
import type {Connection} from '../config/resolve.js';
import {nextCommand, refusedError, type CentavoError, type ErrorDetails} from '../common/errors.js';
import {decimalPesos, formatPesos} from '../common/pesos.js';
import type {PlannedChangeDetails} from './change.js';

export interface CanAsk {
  /** True if a user can answer at a terminal. */
  readonly canAsk: boolean;
}

type Limited = Pick<Connection, 'limits' | 'profile'>;

const ownerOf = ({source}: Setting<unknown>): string => source.replace('profile ', '');

/** Says which limit refuses a change; to a user at a terminal also the command that lifts it. */
function limitDetails(
  [name, limit]: readonly [name: string, limit: Setting<unknown>],
  {profile}: Limited,
  {canAsk}: CanAsk,
  words: string,
  command: string,
): ErrorDetails & {readonly why: string} {
  const owner = ownerOf(limit);
  const reason = `${name} is set by ${limit.source}${owner === profile.value ? '' : ' for this key'}.`;
  return {
    why: canAsk ? `${reason} --yes does not override it.` : reason,
    ...(canAsk
      ? {next: [nextCommand(words, `config ${command}`, '--profile', owner)]}
      : {hint: 'A person can change this limit at a terminal.'}),
  };
}

export function checkReadOnly(connection: Limited, io: CanAsk): void {
  const {readOnly} = connection.limits;
  if (!readOnly.value) return;
  throw refusedError(
    'read_only',
    `the profile ${ownerOf(readOnly)} is read-only.`,
    limitDetails(['read_only', readOnly], connection, io, 'To allow it', 'set read_only false'),
  );
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
      limitDetails(
        ['max_statements_per_run', maxStatements],
        connection,
        io,
        'To allow it',
        `set max_statements_per_run ${statements}`,
      ),
    );
  if (maxAmount.value === undefined) return;
  for (const {label, amount} of amounts) {
    if (typeof amount !== 'bigint') throw unknownAmount(connection, label, amount.unknown, io);
    if (amount <= BigInt(maxAmount.value)) continue;
    throw refusedError(
      'over_max_amount',
      `the ${label} comes to ${formatPesos(amount)}; the limit is ${formatPesos(maxAmount.value)} for one change.`,
      limitDetails(['max_amount', maxAmount], connection, io, 'To allow it', `set max_amount ${decimalPesos(amount)}`),
    );
  }
}

export function unknownAmount(connection: Limited, label: string, why: string, io: CanAsk): CentavoError {
  const {maxAmount} = connection.limits;
  const details = limitDetails(['max_amount', maxAmount], connection, io, 'To remove the limit', 'unset max_amount');
  return refusedError(
    'unknown_amount',
    `the amount of ${label} is not known; the limit is ${formatPesos(maxAmount.value!)} for one change.`,
    {...details, why: `${why} ${details.why}`},
  );
}
