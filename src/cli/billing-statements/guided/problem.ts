// Why a run stopped, as the question that is asked again: in its place, with what was refused and the reason.

import type {Made} from '../../../billing/unfinished.js';
import type {RunState, Stop} from '../../../billing/compose/outcome.js';
import {capitalized, type CentavoError} from '../../../errors.js';
import type {WantedStatement} from '../compose/run.js';
import type {Problem} from './state.js';

/** What is known of the statement after a run. @param made `attempted` is whether one before it may have made something */
export function madeAfter(made: Made, {applied, customerId, statementId, status, inDoubt}: RunState): Made {
  return {
    ...made,
    attempted: made.attempted || applied !== 'no',
    customerId: customerId ?? made.customerId,
    statementId: statementId ?? made.statementId,
    opened: status === undefined ? made.opened : status !== 'draft',
    ...(inDoubt === 'send' && {sendInDoubt: true}),
  };
}

/**
 * @param explained the error that the run would end with
 * @param made what is there after the run
 */
export function problemOfStop(stop: Stop, explained: CentavoError, wanted: WantedStatement, made: Made): Problem {
  const {details} = explained;
  const whole = sentences(capitalized(explained.message), details.why, details.changed);
  if (stop.why === 'send_in_doubt' || made.sendInDoubt)
    return {
      step: 'review',
      made: {...made, sendInDoubt: true},
      text: sentences('The email may have been sent', details.why ?? capitalized(explained.message)),
    };
  if (stop.why !== 'failed') return {step: 'review', made, text: whole};
  const {error, at, itemNumber} = stop;
  if (error.kind !== 'rejected' && !(error.kind === 'not_found' && at === 'draft')) {
    const sent = wanted.send ? 'No email was sent.' : '';
    return {step: 'review', made, text: sentences(capitalized(explained.message), details.why, details.changed, sent)};
  }
  const reason = (error.details.apiErrors ?? []).map(({detail}) => detail).join(' ') || error.message;
  const parameters = (error.details.apiErrors ?? []).map(({parameter}) => parameter ?? '');
  const named = (name: string): boolean => parameters.some((each) => each.includes(name));
  const refused = (value: string | undefined): string =>
    sentences(value ? `“${value}” was refused: ${reason}` : reason);
  if (at === 'customer')
    return named('name')
      ? {step: 'name', made, text: refused(wanted.newCustomer?.name)}
      : {step: 'email', made, text: refused(wanted.newCustomer?.email)};
  if (at === 'draft' && (named('customer') || error.kind === 'not_found'))
    return {step: 'customer', made, text: refused(wanted.customerName)};
  if (at === 'item' && itemNumber !== undefined)
    return {step: 'items', made, item: itemNumber - 1, text: refused(wanted.items[itemNumber - 1]?.description)};
  if (at === 'due' || named('due_at')) return {step: 'due', made, text: sentences(reason)};
  return {step: 'review', made, text: whole};
}

/** Sentences one after the other, each with its full stop. */
export const sentences = (...parts: readonly (string | undefined)[]): string =>
  parts
    .filter((part) => part !== undefined && part !== '')
    .map((part) => (/[.!?…]$/.test(part!) ? part : `${part}.`))
    .join(' ');
