// Describes a change in one line, for a question or a refusal.

import type {RegisteredOperation} from '../api/registry.js';
import {clean} from '../output/format.js';
import {formatPesos} from '../pesos.js';
import type {Amount, Hash} from './change-amounts.js';

/** One call of an operation, as it would be made. */
export interface Call {
  readonly registered: RegisteredOperation;
  readonly ids: readonly string[];
  readonly params: Hash;
}

/** What one call is about, as numbers and names. */
export interface Facts {
  /** What the parameters carry. */
  readonly given?: Amount;
  /** Parameters that the contract does not define, if the change is about money. */
  readonly unknown: readonly string[];
  /** The number of the named object, if it has one. */
  readonly number?: string;
  /** What the named object comes to as it is. */
  readonly own?: bigint;
  /** The object that it belongs to. */
  readonly holder?: Holder;
  readonly customer?: string;
  /** The customer who takes that one's place. */
  readonly nextCustomer?: string;
  /** The change is to the customer. */
  readonly isCustomer: boolean;
}

export interface Holder {
  readonly title: string;
  readonly id: string;
  readonly number?: string;
  readonly amount?: bigint;
  /** What it would come to with the change made. */
  readonly then?: bigint;
}

/** Longer names are cut, so that the question stays visible. */
const LONGEST_NAME = 60;
/** More names than this are counted. */
const MOST_NAMES = 3;

/** What names usually consist of. A name with other characters is quoted, so that it cannot be mistaken for a part of the question. */
const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’&/-]*$/u;

/** A name from a stranger, made harmless and short. */
export function shown(name: string): string {
  const characters = [...clean(name).replace(/\s+/g, ' ')];
  const short =
    characters.length > LONGEST_NAME ? `${characters.slice(0, LONGEST_NAME - 1).join('')}…` : characters.join('');
  return PLAIN_NAME.test(short.replace(/…$/, '')) ? short : `"${short.replaceAll('"', "'")}"`;
}

const verbOf = (verb: string): string => verb.replaceAll('-', ' ');

/** `billing statement JEEPNEY-0002`, or with its id if it has no number, or only the kind for an object that does not exist yet. */
export const nameOf = ({registered: {resource}, ids}: Call, number?: string): string =>
  [resource.shape.title, number === undefined ? ids.at(-1) : shown(number)].filter(Boolean).join(' ');

/** Shown in place of an amount that is not known: a missing amount might be read as none. */
export const UNKNOWN_AMOUNT = 'an unknown amount';

/** ` (also sending amount[])`: unknown parameters are named, because they may change the amount. */
export const describeUnknown = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` (also sending ${listed(names, 'unknown parameters')})`;

/** `finalize billing statement JEEPNEY-0002 of ₱31,000.00 for Juan Dela Cruz`. */
export function describeCall(call: Call, facts: Facts): string {
  const {ids, registered} = call;
  const verb = verbOf(registered.verb);
  const {given, number, own, holder, customer, nextCustomer, isCustomer, unknown} = facts;
  const isNew = ids.length === 0;
  // `delete payment method pm_…`: the verb names it already.
  const object = verb.endsWith(' method') ? ids.at(-1)! : nameOf(call, number);
  const words = typeof given === 'bigint' ? formatPesos(given) : given && UNKNOWN_AMOUNT;
  const amount = isNew ? words : own === undefined ? undefined : formatPesos(own);
  return [
    `${verb} ${isNew ? 'a ' : ''}${object}`,
    amount !== undefined && ` of ${amount}`,
    holder && ` on ${holder.title} ${holder.number === undefined ? holder.id : shown(holder.number)}`,
    holder?.amount !== undefined && ` of ${formatPesos(holder.amount)}`,
    holder?.then !== undefined && ` (then ${formatPesos(holder.then)})`,
    customer !== undefined && (isCustomer ? ` (${shown(customer)})` : ` for ${shown(customer)}`),
    nextCustomer !== undefined && `, then for ${shown(nextCustomer)}`,
    !isNew && words !== undefined && `, ${typeof given === 'bigint' ? 'amount' : 'with'} ${words}`,
    describeUnknown(unknown),
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
  const customers = listed(names, 'customers');
  return [
    `${verbOf(registered.verb)} ${calls.length} ${registered.resource.shape.title}s`,
    total,
    names.length > 0 && (facts[0]!.isCustomer ? ` (${customers})` : ` for ${customers}`),
  ]
    .filter(Boolean)
    .join('');
}

function listed(names: readonly string[], kind: string): string {
  if (names.length > MOST_NAMES) return `${names.length} ${kind}`;
  const words = names.map(shown);
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
