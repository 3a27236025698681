// The errors for a number, email address or name that nothing fits, with what may be meant.

import type {FoundCustomer} from '../../billing/account.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../ground/errors.js';
import {quote} from '../../input/money.js';
import {foldName, isSequence, wordsOfName} from '../../input/names.js';
import {nearest} from '../../input/nearest.js';
import {shellQuote} from '../../input/shell-words.js';
import {sameAccount} from '../next-command.js';
import type {Reference, ReferenceOptions} from './references.js';

export function noStatement(
  context: Context,
  text: string,
  numbers: readonly string[],
  {changes}: ReferenceOptions,
): CentavoError {
  const isId = text.startsWith('bstm_');
  const message = isId
    ? `no billing statement has an id that begins with ${text}.`
    : `no billing statement has the number ${text}.`;
  return new CentavoError('not_found', message, {
    code: 'statement_not_found',
    why: isId || isSequence(text) ? undefined : similarNumber(text.toUpperCase(), numbers),
    hint: `To list them: centavo billing-statements list${sameAccount(context)}`,
    ...(changes && {applied: 'no'}),
  });
}

export const noneOfCustomer = (context: Context, text: string, {changes, status}: ReferenceOptions): CentavoError =>
  new CentavoError('not_found', `${quote(text)} has no ${status === undefined ? '' : `${status} `}billing statement.`, {
    code: 'statement_not_found',
    hint: `To list all of them: centavo billing-statements list --customer ${shellQuote(text)}${sameAccount(context)}`,
    ...(changes && {applied: 'no'}),
  });

/** The same sequence number with this or a similar prefix, or the newest number with this prefix. */
function similarNumber(typed: string, numbers: readonly string[]): string | undefined {
  const [prefix, sequence] = partsOf(typed);
  const known = numbers.map((number) => ({number, parts: partsOf(number)}));
  const alike = known.filter(({parts}) => parts[1] === sequence);
  const near = nearest(
    prefix,
    alike.map(({parts}) => parts[0]),
    Math.max(1, Math.floor(prefix.length / 4)),
  );
  const guess = alike.find(({parts}) => parts[0] === near);
  if (guess !== undefined) return `Did you mean ${guess.number}?`;
  const newest = known.find(({parts}) => parts[0] === prefix);
  return newest && `The newest number with this prefix is ${newest.number}.`;
}

/** `JEEPNEY` and `2` of `JEEPNEY-0002`. */
function partsOf(number: string): readonly [prefix: string, sequence: string] {
  const [, prefix = number, sequence = ''] = /^(.*)-0*(\d+)$/.exec(number) ?? [];
  return [prefix, sequence];
}

export function noCustomer(
  context: Context,
  {kind, text}: Reference,
  customers: readonly FoundCustomer[],
  {changes}: ReferenceOptions,
): CentavoError {
  const message =
    kind === 'email'
      ? `no customer has the email address ${text}.`
      : kind === 'start'
        ? `no customer has an id that begins with ${text}.`
        : `no customer is called ${quote(text)}.`;
  const guess = kind === 'name' ? misspelled(text, customers) : undefined;
  return new CentavoError('not_found', message, {
    code: 'customer_not_found',
    why: guess && `Did you mean ${guess.name} <${guess.email}>?`,
    hint: `To list them: centavo customers list${sameAccount(context)}`,
    ...(changes && {applied: 'no'}),
  });
}

/** The customer with the name, or a word of a name, that is closest to what was typed. */
function misspelled(text: string, customers: readonly FoundCustomer[]): FoundCustomer | undefined {
  const byName = new Map(
    customers.flatMap((customer) =>
      [foldName(customer.name), ...wordsOfName(customer.name)].map((name) => [name, customer] as const),
    ),
  );
  const name = nearest(foldName(text), [...byName.keys()], Math.max(1, Math.floor(text.length / 4)));
  return name === undefined ? undefined : byName.get(name);
}
