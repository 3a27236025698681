// Describes a change for the guard: details from the command line, and a function that reads the rest.

import {shapeOfId, type RegisteredOperation} from '../api/registry.js';
import {statementNumberOf} from '../api/statement.js';
import type {Client} from '../client/client.js';
import type {JsonObject} from '../common/json.js';
import {
  requestedAmount,
  objectAmountOf,
  needsAmount,
  priceOfRequest,
  unknownParameters,
  type KnownAmount,
} from './change-amounts.js';
import {
  describeCall,
  describeCalls,
  objectName,
  safeDisplayName,
  type DescribedCall,
  type CallFacts,
} from './describe-change.js';
import {createTargetFetcher, type FetchedTarget} from './target-fetcher.js';

export interface PlannedChange {
  /** `billing-statements finalize`: for the history. */
  readonly command: string;
  /** True to confirm at a terminal in every mode, as for a change that destroys an object or changes several. */
  readonly needsConfirmation: boolean;
  /** True to read and name the destroyed object in every mode, even if no question is asked. */
  readonly destroys?: boolean;
  /** True if `known` lacks the customer's name, which a question must show. */
  readonly isUnnamed?: boolean;
  readonly ids: readonly string[];
  /** The reason in the user's words: for the history. */
  readonly reason?: string;
  /** Unix seconds of a payment outside the service: for the history. */
  readonly paidAt?: number;
  /** The name of the import file: for the history. */
  readonly file?: string;
  readonly known: PlannedChangeDetails;
  readonly lookUp?: () => Promise<PlannedChangeDetails>;
  /** Called when nothing is left to ask, just before the change is recorded. */
  readonly lastRead?: () => Promise<void>;
  /** Called in the transaction that records the change. Throws if another process has made an equal change. */
  readonly lastLook?: () => void;
}

export interface PlannedChangeDetails {
  /** The action: `finalize billing statement JEEPNEY-0002 of ₱31,000.00 for Juan Dela Cruz`. */
  readonly action: string;
  /** Centavos of the whole change, if known: for the history. */
  readonly amount?: bigint;
  /** The statement's number and customer, if the change is about a single statement: for the history. */
  readonly subject?: {readonly number?: string; readonly customer?: string};
  /** The names of the objects, by id: for the history. */
  readonly names?: readonly (readonly [id: string, name: {readonly number?: string; readonly customer?: string}])[];
  /** Each amount that would be collected or paid out; undefined if it must be read first. */
  readonly amounts?: readonly NamedAmount[];
  /** The number of billing statements that would change; undefined if they must be read first. */
  readonly statements?: number;
}

export interface NamedAmount {
  readonly label: string;
  readonly amount: KnownAmount;
}

const STATEMENT = 'bstm_';
/** A change to one of these statuses collects nothing, so the amount limit does not apply. */
const UNCOLLECTED_STATUSES: readonly (string | undefined)[] = ['canceled', 'expired', 'uncollectible', 'void'];
const TEXT_KINDS: readonly string[] = ['metadata', 'text'];

/** Returns one operation on several targets as a change. @param request as the user typed it: `DELETE /customers/cus_…` */
export function changeOf(
  {client, signal}: {readonly client: () => Promise<Pick<Client, 'perform'>>; readonly signal: AbortSignal},
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  params: JsonObject,
  request?: string,
): PlannedChange {
  const calls = targets.map((ids) => ({registered, ids, params}));
  const details = (found?: readonly FetchedTarget[]): PlannedChangeDetails => {
    const made = changeDetailsOf(calls, found);
    return request === undefined ? made : {...made, action: `${request}: ${made.action}`};
  };
  return {
    command: `${request === undefined ? '' : 'api '}${registered.id.replace(':', ' ')}`,
    needsConfirmation: registered.operation.destroys === true || targets.length > 1,
    destroys: registered.operation.destroys === true,
    ids: idsIn([...targets.flat(), ...Object.values(params)]),
    known: details(),
    lookUp: async () => details(await createTargetFetcher(await client(), signal)(calls)),
  };
}

export function changeOfRequest(request: string, params: JsonObject): PlannedChange {
  return {
    command: 'api',
    needsConfirmation: request.startsWith('DELETE '),
    ids: idsIn([...request.split('/'), ...Object.values(params)]),
    known: {
      action: request,
      amounts: [{label: request, amount: {unknown: 'centavo does not know this request.'}}],
      statements: 0,
    },
  };
}

export const localChange = (command: string, what: string): PlannedChange => ({
  command,
  needsConfirmation: false,
  ids: [],
  known: {action: what, amounts: [], statements: 0},
});

/** Returns only the ids, so that no secret is recorded. */
export const idsIn = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && shapeOfId(value) !== undefined)),
];

export function changeDetailsOf(
  calls: readonly DescribedCall[],
  found?: readonly FetchedTarget[],
): PlannedChangeDetails {
  const facts = calls.map((call, index) => factsOfCall(call, found?.[index]));
  const amounts = calls.map((call, index) => amountsOf(call, facts[index]!, found !== undefined));
  return {
    action: calls.length === 1 ? describeCall(calls[0]!, facts[0]!) : describeCalls(calls, facts),
    amount: totalOfCalls(facts),
    ...(calls.length === 1 &&
      isStatement(calls[0]!) && {subject: {number: facts[0]!.number, customer: facts[0]!.customer}}),
    names: calls.flatMap(({ids: [id]}, index) => {
      const {number, customer} = facts[index]!;
      return id === undefined ? [] : [[id, {number, customer}] as const];
    }),
    amounts: amounts.includes(undefined) ? undefined : amounts.flatMap((each) => each!),
    statements: statementsOf(calls, facts, found !== undefined),
  };
}

const isStatement = ({registered: {resource}}: DescribedCall): boolean => resource.shape.prefix === STATEMENT;

/** True for line items and similar parts: the amount belongs to their parent object. */
const isPart = ({resource: {shape}}: RegisteredOperation) => 'quantity' in shape.fields && !('amount' in shape.fields);

const concernsMoney = (registered: RegisteredOperation): boolean =>
  'amount' in registered.resource.shape.fields || isPart(registered);

function movesMoney(registered: RegisteredOperation): boolean {
  const {operation} = registered;
  const kinds = Object.values(operation.params).map(({kind}) => kind);
  const textOnly = kinds.length > 0 && kinds.every((kind) => TEXT_KINDS.includes(kind));
  const ends = operation.destroys === true || UNCOLLECTED_STATUSES.includes(operation.reaches);
  return concernsMoney(registered) && !ends && !textOnly;
}

function factsOfCall(
  call: DescribedCall,
  {shape, object, part, customer, nextCustomer}: FetchedTarget = {},
): CallFacts {
  const {registered, ids, params} = call;
  const {operation, resource} = registered;
  const isCustomer = resource.shape.prefix === 'cus_' && ids.length < 2;
  const given = requestedAmount(operation.params, params);
  const unknown = concernsMoney(registered) ? unknownParameters(operation.params, params) : [];
  const facts: CallFacts = {customer, nextCustomer, isCustomer, given, unknown};
  if (isCustomer && ids.length === 0)
    return {...facts, customer: typeof params.name === 'string' ? params.name : undefined};
  if (!object || !shape || shape.prefix === 'cus_') return facts;
  const amount = objectAmountOf(object);
  const number = statementNumberOf(object);
  if (shape === resource.shape) return {...facts, number, currentAmount: amount};
  const holder = {title: shape.title, id: String(object.id), number, amount};
  if (!isPart(registered)) return {...facts, holder};
  const before = part ? priceOfRequest(part, {}) : 0n;
  const after = operation.destroys ? 0n : priceOfRequest(part, params);
  const isKnown = amount !== undefined && typeof before === 'bigint' && typeof after === 'bigint';
  return {
    ...facts,
    given: operation.destroys ? undefined : after,
    currentAmount: typeof before === 'bigint' ? before : undefined,
    holder: {...holder, amountAfter: isKnown ? amount - before + after : undefined},
  };
}

function amountsOf(call: DescribedCall, {given, currentAmount, holder, unknown}: CallFacts, wasRead: boolean) {
  const {registered, ids} = call;
  const label = objectName(call);
  // Unknown parameters may change the amount.
  if (unknown.length > 0)
    return [{label, amount: {unknown: `centavo does not know the parameter ${safeDisplayName(unknown[0]!)}.`}}];
  if (!isPart(registered) && given !== undefined) return [{label, amount: given}];
  if (!movesMoney(registered)) return [];
  if (ids.length === 0 && !isPart(registered))
    return needsAmount(registered.operation.params) ? [{label, amount: {unknown: 'No amount is given.'}}] : [];
  if (!wasRead) return undefined;
  if (!isPart(registered)) return [{label, amount: currentAmount ?? {unknown: 'The API does not return it.'}}];
  if (!holder) return [{label, amount: {unknown: 'The API does not return its parent object.'}}];
  const then = holder.amountAfter ?? (typeof given === 'object' ? given : {unknown: 'The API does not return it.'});
  return [{label: `${holder.title} ${holder.id}`, amount: then}];
}

/** Counts the changed statements; undefined until they are read. Several parts of one statement count once. */
function statementsOf(calls: readonly DescribedCall[], facts: readonly CallFacts[], wasRead: boolean) {
  const [{registered}] = calls as [DescribedCall];
  if (registered.resource.shape.prefix === STATEMENT) return calls.length;
  if (!isPart(registered)) return 0;
  if (calls.length === 1) return 1;
  return wasRead ? new Set(facts.map(({holder}, index) => holder?.id ?? calls[index]!.ids[0])).size : undefined;
}

function totalOfCalls(facts: readonly CallFacts[]): bigint | undefined {
  const amounts = facts.map(({given, currentAmount}) => given ?? currentAmount);
  return amounts.reduce<bigint | undefined>(
    (total, each) => (total === undefined || typeof each !== 'bigint' ? undefined : total + each),
    0n,
  );
}

export function withWords(change: PlannedChange, words: string): PlannedChange {
  const worded = (details: PlannedChangeDetails): PlannedChangeDetails => ({
    ...details,
    action: `${details.action}${words}`,
  });
  const {known, lookUp} = change;
  return {...change, known: worded(known), ...(lookUp && {lookUp: async () => worded(await lookUp())})};
}

/** Like `withWords`, but every mode asks, as for a change that destroys an object. */
export const withConfirmation = (change: PlannedChange, words: string): PlannedChange => ({
  ...withWords(change, words),
  needsConfirmation: true,
  destroys: true,
});
