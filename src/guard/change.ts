// A change for the guard: what the command line says about it, and how to read the rest.

import {shapeOfId, type RegisteredOperation} from '../api/registry.js';
import {numberOf} from '../api/statement.js';
import {
  amountGiven,
  amountOf,
  needsAmount,
  priceWith,
  unknownParameters,
  type Amount,
  type Hash,
} from './change-amounts.js';
import {describeCall, describeCalls, nameOf, shown, type Call, type Facts} from './describe.js';
import {createLookup, type Found} from './lookup.js';
import type {GuardPort} from './port.js';

export interface Change {
  /** `billing-statements finalize`: for the history. */
  readonly command: string;
  /** Whether it needs a confirmation at a terminal in every mode: it destroys something, or changes several objects. */
  readonly asks: boolean;
  /** Whether it destroys something: then what that is is read and said in every mode, and where nobody is asked, too. */
  readonly destroys?: boolean;
  /** Ids that are named. */
  readonly ids: readonly string[];
  /** Why it is done, in the words of the person who asked for it: for the history. */
  readonly reason?: string;
  /** What is known from the command line alone. */
  readonly known: ChangeDetails;
  /** Reads the rest, if there is any. @throws CentavoError if it could not be read */
  readonly lookUp?: () => Promise<ChangeDetails>;
}

export interface ChangeDetails {
  /** What will happen: `finalize billing statement JEEPNEY-0002 of ₱31,000.00 for Juan Dela Cruz`. */
  readonly what: string;
  /** Centavos of the whole change, if known: for the history. */
  readonly amount?: bigint;
  /** The one statement that it is about, as people know it: for the history. */
  readonly subject?: {readonly number?: string; readonly customer?: string};
  /** Each amount that the change would collect or pay out; undefined if it must be read first. */
  readonly amounts?: readonly NamedAmount[];
  /** How many billing statements would be changed; undefined if it must be read first. */
  readonly statements?: number;
}

export interface NamedAmount {
  /** `billing statement bstm_…` */
  readonly of: string;
  readonly amount: Amount;
}

const STATEMENT = 'bstm_';
/** Statuses in which nothing is collected any more. Limits do not apply to changes that lead to them. */
const ENDED: readonly (string | undefined)[] = ['canceled', 'expired', 'uncollectible', 'void'];
const WORDS: readonly string[] = ['metadata', 'text'];

/**
 * An operation on each of these targets.
 * @param request what was typed, when it was a request: `DELETE /customers/cus_…`
 */
export function changeOf(
  {client, signal}: Pick<GuardPort, 'client' | 'signal'>,
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  params: Hash,
  request?: string,
): Change {
  const calls = targets.map((ids) => ({registered, ids, params}));
  const details = (found?: readonly Found[]): ChangeDetails => {
    const made = detailsOf(calls, found);
    return request === undefined ? made : {...made, what: `${request}: ${made.what}`};
  };
  return {
    command: `${request === undefined ? '' : 'api '}${registered.id.replace(':', ' ')}`,
    asks: registered.operation.destroys === true || targets.length > 1,
    destroys: registered.operation.destroys === true,
    ids: idsIn([...targets.flat(), ...Object.values(params)]),
    known: details(),
    lookUp: async () => details(await createLookup(await client(), signal)(calls)),
  };
}

/** A request that the contract does not define: nothing is known about it. */
export function changeOfRequest(request: string, params: Hash): Change {
  return {
    command: 'api',
    asks: request.startsWith('DELETE '),
    ids: idsIn([...request.split('/'), ...Object.values(params)]),
    known: {
      what: request,
      amounts: [{of: request, amount: {unknown: 'centavo does not know this request.'}}],
      statements: 0,
    },
  };
}

/** A change that is about no existing object and no amount. @param what its words: `register a webhook` */
export const plainChange = (command: string, what: string): Change => ({
  command,
  asks: false,
  ids: [],
  known: {what, amounts: [], statements: 0},
});

/** The values that are ids, and nothing else, so that no secret is recorded. */
export const idsIn = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && shapeOfId(value) !== undefined)),
];

/** @param found what was read of each call; left out when nothing was */
export function detailsOf(calls: readonly Call[], found?: readonly Found[]): ChangeDetails {
  const facts = calls.map((call, index) => factsOf(call, found?.[index]));
  const amounts = calls.map((call, index) => amountsOf(call, facts[index]!, found !== undefined));
  return {
    what: calls.length === 1 ? describeCall(calls[0]!, facts[0]!) : describeCalls(calls, facts),
    amount: totalOf(facts),
    ...(calls.length === 1 &&
      isStatement(calls[0]!) && {subject: {number: facts[0]!.number, customer: facts[0]!.customer}}),
    amounts: amounts.includes(undefined) ? undefined : amounts.flatMap((each) => each!),
    statements: statementsOf(calls, facts, found !== undefined),
  };
}

const isStatement = ({registered: {resource}}: Call): boolean => resource.shape.prefix === STATEMENT;

/** Whether objects of the resource are parts, such as line items: the amount is in the object that they belong to. */
const isPart = ({resource: {shape}}: RegisteredOperation): boolean =>
  'quantity' in shape.fields && !('amount' in shape.fields);

const concernsMoney = (registered: RegisteredOperation): boolean =>
  'amount' in registered.resource.shape.fields || isPart(registered);

/** Whether an operation leads to an amount being collected or paid out. */
function movesMoney(registered: RegisteredOperation): boolean {
  const {operation} = registered;
  const kinds = Object.values(operation.params).map(({kind}) => kind);
  const onlyWords = kinds.length > 0 && kinds.every((kind) => WORDS.includes(kind));
  const ends = operation.destroys === true || ENDED.includes(operation.reaches);
  return concernsMoney(registered) && !ends && !onlyWords;
}

function factsOf(call: Call, {shape, object, part, customer, nextCustomer}: Found = {}): Facts {
  const {registered, ids, params} = call;
  const {operation, resource} = registered;
  const isCustomer = resource.shape.prefix === 'cus_' && ids.length < 2;
  const given = amountGiven(operation.params, params);
  const unknown = concernsMoney(registered) ? unknownParameters(operation.params, params) : [];
  const facts: Facts = {customer, nextCustomer, isCustomer, given, unknown};
  if (isCustomer && ids.length === 0)
    return {...facts, customer: typeof params.name === 'string' ? params.name : undefined};
  if (!object || !shape || shape.prefix === 'cus_') return facts;
  const amount = amountOf(object);
  const number = numberOf(object);
  if (shape === resource.shape) return {...facts, number, own: amount};
  const holder = {title: shape.title, id: String(object.id), number, amount};
  if (!isPart(registered)) return {...facts, holder};
  const before = part ? priceWith(part, {}) : 0n;
  const after = operation.destroys ? 0n : priceWith(part, params);
  const isClear = amount !== undefined && typeof before === 'bigint' && typeof after === 'bigint';
  return {
    ...facts,
    given: operation.destroys ? undefined : after,
    own: typeof before === 'bigint' ? before : undefined,
    holder: {...holder, then: isClear ? amount - before + after : undefined},
  };
}

function amountsOf(
  call: Call,
  {given, own, holder, unknown}: Facts,
  wasRead: boolean,
): readonly NamedAmount[] | undefined {
  const {registered, ids} = call;
  const of = nameOf(call);
  // Nobody can say what the service makes of it.
  if (unknown.length > 0)
    return [{of, amount: {unknown: `centavo does not know the parameter ${shown(unknown[0]!)}.`}}];
  if (!isPart(registered) && given !== undefined) return [{of, amount: given}];
  if (!movesMoney(registered)) return [];
  if (ids.length === 0 && !isPart(registered))
    return needsAmount(registered.operation.params) ? [{of, amount: {unknown: 'No amount is given.'}}] : [];
  if (!wasRead) return undefined;
  if (!isPart(registered)) return [{of, amount: own ?? {unknown: 'The API does not return it.'}}];
  if (!holder) return [{of, amount: {unknown: 'The API does not return what it belongs to.'}}];
  const then = holder.then ?? (typeof given === 'object' ? given : {unknown: 'The API does not return it.'});
  return [{of: `${holder.title} ${holder.id}`, amount: then}];
}

/** The parts of one statement are one statement. */
function statementsOf(calls: readonly Call[], facts: readonly Facts[], wasRead: boolean): number | undefined {
  const [{registered}] = calls as [Call];
  if (registered.resource.shape.prefix === STATEMENT) return calls.length;
  if (!isPart(registered)) return 0;
  if (calls.length === 1) return 1;
  return wasRead ? new Set(facts.map(({holder}, index) => holder?.id ?? calls[index]!.ids[0])).size : undefined;
}

function totalOf(facts: readonly Facts[]): bigint | undefined {
  const amounts = facts.map(({given, own}) => given ?? own);
  return amounts.reduce<bigint | undefined>(
    (total, each) => (total === undefined || typeof each !== 'bigint' ? undefined : total + each),
    0n,
  );
}
