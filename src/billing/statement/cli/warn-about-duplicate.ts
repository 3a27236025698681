// Warns if an open statement already bills the same items: in the question at a terminal, otherwise in a note.

import {statementNumberOf} from '../../../api/statement.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, messageAndReason} from '../../../common/errors.js';
import {shortDay} from '../../../common/manila.js';
import {withConfirmation, type PlannedChange} from '../../../guard/change.js';
import {safeDisplayName} from '../../../guard/describe-change.js';
import {guardBeforeReading, type GuardFlags} from '../../../guard/guard.js';
import type {WantedStatement} from './compose-statement.js';

/**
 * Adds the warning to the change's question, or prints a note. Reads nothing for a draft, which requests no payment, or
 * if no warning would be shown. Before it reads, refuses a change that the guard would refuse later.
 */
export async function warnAboutDuplicate(
  context: Context,
  flags: GuardFlags,
  change: PlannedChange,
  wanted: WantedStatement,
): Promise<PlannedChange> {
  const {io, signal} = context;
  const asks = io.canAsk && !flags.yes;
  const isBilling = wanted.finalize && wanted.id === undefined && wanted.newCustomer === undefined;
  if (!isBilling || (!asks && io.settings.quiet)) return change;
  await guardBeforeReading(context, flags, change.known);
  const warn = (text: string): void => io.note(`Warning: ${text}`, {style: 'yellow'});
  try {
    const {findIdenticalOpen} = await context.billing();
    const now = await context.accountNow();
    const found = await findIdenticalOpen(await context.client(), wanted, {now, signal});
    if (!found) return change;
    const text = `${safeDisplayName(statementNumberOf(found) ?? found.id)} of ${shortDay(found.created_at, now)} bills the same items and is open`;
    if (asks) return withConfirmation(change, `, although ${text}`);
    warn(`${text}.`);
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    warn(`centavo could not check whether the same items are already billed: ${messageAndReason(error)}`);
  }
  return change;
}
