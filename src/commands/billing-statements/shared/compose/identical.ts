// Says that the same is billed already: in the question at a terminal, as a warning elsewhere.

import {numberOf} from '../../../../api/statement.js';
import type {Context} from '../../../../context.js';
import {CentavoError, whatAndWhy} from '../../../../ground/errors.js';
import {shortDay} from '../../../../ground/manila.js';
import {asking, type Change} from '../../../../guard/change.js';
import {shown} from '../../../../guard/describe.js';
import {guardLookUp, type GuardFlags} from '../../../../guard/guard.js';
import type {WantedStatement} from './run.js';

/**
 * The change, naming an open statement that bills the customer for the same. Nothing is read for a draft, which nobody is
 * asked to pay yet, or where nothing would be said. A change that will be refused is refused here.
 */
export async function sayingIfIdentical(
  context: Context,
  flags: GuardFlags,
  change: Change,
  wanted: WantedStatement,
): Promise<Change> {
  const {io, signal} = context;
  const asks = io.canAsk && !flags.yes;
  const isBilling = wanted.finalize && wanted.id === undefined && wanted.newCustomer === undefined;
  if (!isBilling || (!asks && io.settings.quiet)) return change;
  await guardLookUp(context, flags, change.known);
  const warn = (text: string): void => io.note(`Warning: ${text}`, {style: 'yellow'});
  try {
    const {identicalOpen} = await context.billing();
    const now = await context.accountNow();
    const found = await identicalOpen(await context.client(), wanted, {now, signal});
    if (!found) return change;
    const words = `${shown(numberOf(found) ?? found.id)} of ${shortDay(found.created_at, now)} bills the same and is open`;
    if (asks) return asking(change, `, although ${words}`);
    warn(`${words}.`);
  } catch (error) {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    warn(`it could not be read whether the same is billed already: ${whatAndWhy(error)}`);
  }
  return change;
}
