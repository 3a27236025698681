// What a change is, in a line that a merchant can read: in a question, or in a refusal.

import {clean} from '../output/format.js';
import {formatPesos} from '../pesos.js';
import type {Facts} from './facts.js';
import type {Call} from './sight.js';

/** A name longer than this would push the question out of sight. */
const LONGEST_NAME = 60;
/** More customers than this are counted. */
const MOST_NAMES = 3;

/** What names are made of as a rule. Other signs stand in questions themselves: a name that has them is told apart by quotation marks. */
const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’&/-]*$/u;

/** A name from a stranger, made harmless and short. */
export function shown(name: string): string {
  const characters = [...clean(name).replace(/\s+/g, ' ')];
  const short =
    characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : characters.join('');
  return PLAIN_NAME.test(short.replace(/…$/, '')) ? short : `"${short.replaceAll('"', "'")}"`;
}

const verbOf = (verb: string): string => verb.replaceAll('-', ' ');

/** `billing statement bstm_…`, or only the kind of what is not there yet. */
export const nameOf = ({registered: {resource}, ids}: Call): string =>
  [resource.shape.title, ids.at(-1)].filter(Boolean).join(' ');

/** That nothing can be said of an amount is said, since whoever is asked might take it for none. */
export const UNKNOWN_AMOUNT = 'an unknown amount';

const givenWords = ({given}: Facts): string | undefined =>
  given === 'unclear' ? UNKNOWN_AMOUNT : given === undefined ? undefined : formatPesos(given);

/** `finalize billing statement bstm_… of ₱31,000.00 for Juan Dela Cruz`. */
export function describeCall(call: Call, facts: Facts): string {
  const {ids, registered} = call;
  const verb = verbOf(registered.verb);
  const {own, holder, customer, nextCustomer, isCustomer} = facts;
  const isNew = ids.length === 0;
  // `delete payment method pm_…`: the verb names it already.
  const object = verb.endsWith(' method') ? ids.at(-1)! : nameOf(call);
  const given = givenWords(facts);
  const amount = isNew ? given : own === undefined ? undefined : formatPesos(own);
  return [
    `${verb} ${isNew ? 'a ' : ''}${object}`,
    amount !== undefined && ` of ${amount}`,
    holder && ` on ${holder.title} ${holder.id}`,
    holder?.amount !== undefined && ` of ${formatPesos(holder.amount)}`,
    holder?.then !== undefined && ` (then ${formatPesos(holder.then)})`,
    customer !== undefined && (isCustomer ? ` (${shown(customer)})` : ` for ${shown(customer)}`),
    nextCustomer !== undefined && `, then for ${shown(nextCustomer)}`,
    !isNew && given !== undefined && `, ${facts.given === 'unclear' ? 'with' : 'amount'} ${given}`,
  ]
    .filter(Boolean)
    .join('');
}

/** `void 3 billing statements of ₱4,500.00 in all for Ana, Bea and Juan`. */
export function describeCalls(calls: readonly Call[], facts: readonly Facts[]): string {
  const [{registered}] = calls as [Call];
  const amounts = facts.map(({own}) => own).filter((own) => own !== undefined);
  const names = [...new Set(facts.map(({customer}) => customer).filter((name) => name !== undefined))];
  const total =
    amounts.length === calls.length && ` of ${formatPesos(amounts.reduce((sum, each) => sum + each, 0n))} in all`;
  return [
    `${verbOf(registered.verb)} ${calls.length} ${registered.resource.shape.title}s`,
    total,
    names.length > 0 && !facts[0]!.isCustomer && ` for ${listed(names.map(shown))}`,
    names.length > 0 && facts[0]!.isCustomer && ` (${listed(names.map(shown))})`,
  ]
    .filter(Boolean)
    .join('');
}

function listed(names: readonly string[]): string {
  if (names.length > MOST_NAMES) return `${names.length} customers`;
  return names.length === 1 ? names[0]! : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
