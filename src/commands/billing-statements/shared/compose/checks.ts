// What the service would refuse after half of the calls of a statement.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../../../api/fields.js';
import {usageError} from '../../../../ground/errors.js';
import {formatPesos} from '../../../../ground/pesos.js';

interface Planned {
  /** Centavos; undefined for one without items. */
  readonly total: number | undefined;
  /** Unix seconds. */
  readonly dueAt: number | undefined;
  readonly finalize: boolean;
}

/** Checks the amount, and what finalizing needs. @param hints how the command at hand is given items */
export function checkPlan({total, dueAt, finalize}: Planned, hints: {readonly items: string}): void {
  const hint = `A statement collects from ${formatPesos(MINIMUM_CENTAVOS)} to ${formatPesos(MAXIMUM_CENTAVOS)}.`;
  if (total !== undefined && total > MAXIMUM_CENTAVOS)
    throw usageError('invalid_amount', `the items come to ${formatPesos(total)}, which is too much.`, {hint});
  if (!finalize) return;
  if (total === undefined)
    throw usageError('missing_flag', 'a statement without items cannot be finalized.', {hint: hints.items});
  if (total < MINIMUM_CENTAVOS)
    throw usageError('invalid_amount', `the items come to ${formatPesos(total)}, which is too little.`, {hint});
  if (dueAt === undefined)
    throw usageError('missing_flag', 'a statement without a due date cannot be finalized.', {
      hint: 'Add --due 2026-12-15 or --due +30d',
    });
}
