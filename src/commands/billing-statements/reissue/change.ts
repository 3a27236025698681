// A reissue as one change for the guard: what is voided, and what is billed in its place.

import {customerOf, dueOf, numberOf, statementName} from '../../../api/statement.js';
import type {Reissued, ReissuePlan} from '../../../billing/reissue.js';
import {longDay} from '../../../ground/manila.js';
import {formatPesos} from '../../../ground/pesos.js';
import {amountOf} from '../../../guard/change-amounts.js';
import type {Change, ChangeDetails} from '../../../guard/change.js';
import {shown, UNKNOWN_AMOUNT} from '../../../guard/describe.js';

/** @param look reads both statements again */
export function changeOfReissue(found: Reissued, plan: ReissuePlan, look: () => Promise<Reissued>): Change {
  return {
    command: 'billing-statements reissue',
    asks: true,
    ids: [found.old.id, ...found.replacements.map(({id}) => id)],
    known: detailsOf(found, plan),
    lookUp: async () => detailsOf(await look(), plan),
  };
}

function detailsOf(found: Reissued, plan: ReissuePlan): ChangeDetails {
  const total = totalOf(found, plan);
  const amount = total === undefined ? undefined : BigInt(total);
  return {
    what: describe(found, plan),
    statements: 2,
    subject: {number: numberOf(found.old), customer: customerOf(found.old).name},
    amount,
    amounts: [{of: 'billing statement', amount: amount ?? {unknown: 'The API does not give it.'}}],
  };
}

/** What the new statement comes to, in centavos; undefined where that is not known. */
export function totalOf({old, replacements: [first]}: Reissued, {items}: ReissuePlan): number | undefined {
  const subject = items ? {line_items: items} : first && old.status !== 'open' ? first : old;
  const amount = amountOf(subject);
  return amount === undefined ? undefined : Number(amount);
}

/** `void JEEPNEY-0002 of ₱12,400.00 for Ana Reyes, and bill ₱13,000.00 in its place, due Tuesday, 15 December 2026` */
function describe(found: Reissued, plan: ReissuePlan): string {
  const {old, replacements} = found;
  const [first] = replacements;
  const name = customerOf(old).name;
  const to = name === undefined ? '' : ` for ${shown(name)}`;
  const pesos = (amount: number | undefined): string => (amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount));
  if (old.status === 'paid')
    return `delete the draft ${replacements.map(({id}) => id).join(', ')}, because ${statementName(old)} is paid`;
  const total = pesos(totalOf(found, plan));
  if (old.status !== 'open' && first) {
    const verbs = [...(first.status === 'draft' ? ['finalize'] : []), ...(plan.send ? ['send'] : [])];
    return `${verbs.join(' and ') || 'show'} ${statementName(first)} of ${total}${to}, which replaces ${statementName(old)}`;
  }
  const due = plan.dueAt ?? dueOf(old);
  const last = `${due === undefined ? '' : `, due ${longDay(due)}`}${plan.send ? ', and send it' : ''}`;
  return `void ${statementName(old)} of ${pesos(totalOf({...found, replacements: []}, {id: old.id, send: false}))}${to}, and bill ${total} in its place${last}`;
}
