// Describes a change in one line, for a question or a refusal.

import type {RegisteredOperation} from '../api/registry.js';
import type {JsonObject} from '../common/json.js';
import {formatPesos} from '../common/pesos.js';
import {oneLineText} from '../output/format.js';
import type {KnownAmount} from './change-amounts.js';

export interface DescribedCall {
  readonly registered: RegisteredOperation;
  readonly ids: readonly string[];
  readonly params: JsonObject;
}

export interface CallFacts {
  readonly given?: KnownAmount;
  /** Parameters that the API contract does not define; empty if the change is not about money. */
  readonly unknown: readonly string[];
  readonly number?: string;
  readonly currentAmount?: bigint;
  readonly holder?: NameHolder;
  readonly customer?: string;
  readonly nextCustomer?: string;
  readonly isCustomer: boolean;
}

export interface NameHolder {
  readonly title: string;
  readonly id: string;
  readonly number?: string;
  readonly amount?: bigint;
  readonly amountAfter?: bigint;
}

/** Characters; longer names are cut, so that the question stays visible. */
const MAX_NAME_LENGTH = 60;
/** With more names, only their count is shown. */
const MAX_SHOWN_NAMES = 3;

/** Names that do not match are quoted, so that they cannot pass for a part of the question. */
const PLAIN_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} .'’&/-]*$/u;

/** Escapes, shortens and quotes a name, because anyone may have chosen it. */
export function safeDisplayName(name: string): string {
  const characters = [...oneLineText(name).replace(/\s+/g, ' ')];
  const short =
    characters.length > MAX_NAME_LENGTH ? `${characters.slice(0, MAX_NAME_LENGTH - 1).join('')}…` : characters.join('');
  return PLAIN_NAME.test(short.replace(/…$/, '')) ? short : `"${short.replaceAll('"', "'")}"`;
}

const verbText = (verb: string): string => verb.replaceAll('-', ' ');

/** `billing statement JEEPNEY-0002`, with the id if the number is unknown. A new object has only its type: `refund`. */
export const objectName = ({registered: {resource}, ids}: DescribedCall, number?: string): string =>
  [resource.shape.title, number === undefined ? ids.at(-1) : safeDisplayName(number)].filter(Boolean).join(' ');

/** Printed so that an unknown amount is not mistaken for no amount. */
export const UNKNOWN_AMOUNT = 'an unknown amount';

/** ` (also sending amount[])`: unknown parameters are named, because they may change the amount. */
export const describeUnknown = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` (also sending ${joinNames(names, 'unknown parameters')})`;

/** `finalize billing statement JEEPNEY-0002 of ₱31,000.00 for Juan Dela Cruz`. */
export function describeCall(call: DescribedCall, facts: CallFacts): string {
  const {ids, registered} = call;
  const verb = verbText(registered.verb);
  const {given, number, currentAmount, holder, customer, nextCustomer, isCustomer, unknown} = facts;
  const isNew = ids.length === 0;
  // The verb may already name the object: `delete payment method pm_…`.
  const object = verb.endsWith(' method') ? ids.at(-1)! : objectName(call, number);
  const givenText = typeof given === 'bigint' ? formatPesos(given) : given && UNKNOWN_AMOUNT;
  const amount = isNew ? givenText : currentAmount === undefined ? undefined : formatPesos(currentAmount);
  return [
    `${verb} ${isNew ? 'a ' : ''}${object}`,
    amount !== undefined && ` of ${amount}`,
    holder && ` on ${holder.title} ${holder.number === undefined ? holder.id : safeDisplayName(holder.number)}`,
    holder?.amount !== undefined && ` of ${formatPesos(holder.amount)}`,
    holder?.amountAfter !== undefined && ` (then ${formatPesos(holder.amountAfter)})`,
    customer !== undefined && (isCustomer ? ` (${safeDisplayName(customer)})` : ` for ${safeDisplayName(customer)}`),
    nextCustomer !== undefined && `, then for ${safeDisplayName(nextCustomer)}`,
    !isNew && givenText !== undefined && `, ${typeof given === 'bigint' ? 'amount' : 'with'} ${givenText}`,
    describeUnknown(unknown),
  ]
    .filter(Boolean)
    .join('');
}

/** `void 3 billing statements of ₱4,500.00 in all for Ana, Bea and Juan`. */
export function describeCalls(calls: readonly DescribedCall[], facts: readonly CallFacts[]): string {
  const [{registered}] = calls as [DescribedCall];
  const amounts = facts.map(({currentAmount}) => currentAmount).filter((amount) => amount !== undefined);
  const names = [...new Set(facts.map(({customer}) => customer).filter((name) => name !== undefined))];
  const total =
    amounts.length === calls.length && ` of ${formatPesos(amounts.reduce((sum, each) => sum + each, 0n))} in all`;
  const customers = joinNames(names, 'customers');
  return [
    `${verbText(registered.verb)} ${calls.length} ${registered.resource.shape.title}s`,
    total,
    names.length > 0 && (facts[0]!.isCustomer ? ` (${customers})` : ` for ${customers}`),
  ]
    .filter(Boolean)
    .join('');
}

function joinNames(names: readonly string[], kind: string): string {
  if (names.length > MAX_SHOWN_NAMES) return `${names.length} ${kind}`;
  const words = names.map(safeDisplayName);
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
