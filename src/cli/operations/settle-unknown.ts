// Finds out whether a change under an idempotency key was made, after its process was killed or its answer was lost.

import {getterOf, operations, operationWithId, shapeOfId, type RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {CentavoError, nextCommand, type ErrorDetails} from '../../common/errors.js';
import {isJsonObject, type JsonObject} from '../../common/json.js';
import {formatPesos} from '../../common/pesos.js';
import {askOutcome, momentText, waitUntilSettled} from '../../guard/repeats.js';
import {quote} from '../../input/money.js';
import type {KeyedChange, Repeats} from '../../repeats/repeats.js';
import {accountArgs} from '../next-steps.js';

/** What the account showed just before the change was sent. */
interface Seen {
  readonly params?: JsonObject;
  /** Ids of the objects that could be taken for the new one. */
  readonly ids?: readonly string[];
  /** Centavos that were refunded of the payment. */
  readonly refunded?: number;
}

/** Lists in which a new object shows, with the parameters that narrow the list. */
const LISTED: Readonly<Record<string, readonly string[]>> = {
  'checkout-sessions:create': [],
  // Not by name: a name may have been corrected since.
  'customers:create': ['email'],
  'webhooks:create': ['url'],
};
const PAGE = 100;

/** Changes that run again after any interruption: the engine's journal, or the object's status, says what was done. */
const GOES_ON: readonly string[] = [
  'billing-statements create',
  'billing-statements duplicate',
  'billing-statements reissue',
  'payment-intents capture',
];

/** Yields pages of objects that a creation may have made, newest first. */
async function* pagesOf(
  context: Context,
  {id, resource}: RegisteredOperation,
  params: JsonObject,
): AsyncGenerator<readonly JsonObject[]> {
  const client = await context.client();
  const read = (registered: RegisteredOperation, ids: readonly string[], rest: JsonObject) =>
    client.perform({...registered, ids, params: rest}, {signal: context.signal}) as Promise<JsonObject>;
  if (id === 'billing-statement-line-items:create') {
    const {line_items: items} = await read(
      operationWithId('billing-statements:get'),
      [String(params.billing_statement_id)],
      {},
    );
    return yield (Array.isArray(items) ? items : []) as JsonObject[];
  }
  const list = operationWithId(`${resource.topic}:list`);
  const narrowed = Object.fromEntries(LISTED[id]!.flatMap((name) => (name in params ? [[name, params[name]]] : [])));
  for (let after: string | undefined; ;) {
    const page = await read(list, [], {...narrowed, limit: PAGE, ...(after && {after})});
    const {data, has_more: more} = page as unknown as {data: JsonObject[]; has_more: unknown};
    yield data;
    after = data.at(-1)?.id as string | undefined;
    if (!more || after === undefined) return;
  }
}

const canBeFound = ({id}: RegisteredOperation): boolean => id in LISTED || id === 'billing-statement-line-items:create';

/** Reads what will tell later whether the change was made. */
export async function seenBefore(context: Context, registered: RegisteredOperation, params: JsonObject): Promise<Seen> {
  if (registered.id === 'refunds:create')
    return {params: kept(context, params), refunded: await refundedOf(context, params)};
  if (!canBeFound(registered)) return {};
  const {value: page = []} = await pagesOf(context, registered, params).next();
  return {params: kept(context, params), ids: (page as JsonObject[]).map(({id}) => String(id))};
}

/** A parameter that looks like a secret is hidden, and then equals nothing. */
const kept = ({io}: Context, params: JsonObject): JsonObject => io.hide(params, {stream: 'stderr'});

async function refundedOf(context: Context, {payment_id: id}: JsonObject): Promise<number> {
  const {payments} = await context.client();
  const {amount_refunded: refunded} = (await payments.get(String(id), {signal: context.signal})) as JsonObject;
  return Number(refunded ?? 0);
}

/**
 * Returns `done` if the change was made, and is recorded so; `again` if it may be sent.
 * @throws CentavoError kind `outcome_unknown` if nobody can tell
 */
export async function settleUnknown(
  context: Context,
  repeats: Repeats,
  change: KeyedChange,
): Promise<'again' | 'done'> {
  // A journal that was removed by its age says nothing of what it billed.
  const isForgotten =
    change.object === null &&
    /create|duplicate/.test(change.command) &&
    !(await (await context.runs()).hasBegun(change.plan_key));
  if (GOES_ON.includes(change.command) && !isForgotten) return 'again';
  const seen = JSON.parse(change.seen ?? '{}') as Seen;
  const [bill, id] = [operationWithId('billing-statements:create'), change.command.replace(' ', ':')];
  const registered = operations.find((each) => each.id === id) ?? bill;
  if (registered.id === 'billing-statements:send') {
    await (await context.runs()).recallSends([change.object!]);
    const [own] = (await context.history()).sends(change.object!, change.plan_key);
    if (!own) return again(repeats);
    if (own.state === 'sent') return done(repeats, change.object!, undefined, own.at);
  }
  const isChecked = canBeFound(registered) || context.io.canConfirm;
  if (isChecked) await waitUntilSettled(context);
  // The service's clock dates what is found or answered: this machine's may be wrong.
  const now = await (isChecked ? context.serviceNow() : context.accountNow());
  if (canBeFound(registered)) {
    const fresh = await createdSince(context, repeats, registered, seen);
    if (fresh.length === 0) return again(repeats);
    const [made] = fresh;
    if (fresh.length === 1 && isMadeFrom(seen.params!, made!))
      return done(repeats, String(made!.id), 'get' in registered.resource.operations ? undefined : made, now);
  }
  const observed = seen.refunded === undefined ? undefined : await refundsSince(context, seen);
  if (context.io.canConfirm) {
    const said = await askWhetherMade(context, change, observed);
    if (said !== 'unknown') (await context.history()).decideAttempts(change.plan_key, said === 'made');
    if (said === 'not_made') return again(repeats);
    const asked = {id: null, resource: registered.resource.shape.name, ...seen.params};
    if (said === 'made') return done(repeats, change.object ?? (await askForId(context, registered)), asked, now);
  }
  throw unknownOutcome(context, change, now, seen, observed);
}

function again(repeats: Repeats): 'again' {
  repeats.renew();
  return 'again';
}

function done(repeats: Repeats, id: string | undefined, answer: object | undefined, at: number): 'done' {
  repeats.done(id, answer, at);
  return 'done';
}

/** Objects that were not there before the change was sent, and that no other command of this machine made. */
async function createdSince(
  context: Context,
  repeats: Repeats,
  registered: RegisteredOperation,
  {params = {}, ids = []}: Seen,
): Promise<JsonObject[]> {
  const account = await context.accountId();
  const command = registered.id.replace(':', ' ');
  const history = await context.history();
  const isOther = (id: string): boolean =>
    repeats.othersOf(account, id).length > 0 || history.isOf(command, id, repeats.current!.plan_key);
  const fresh: JsonObject[] = [];
  for await (const page of pagesOf(context, registered, params)) {
    fresh.push(...page.filter(({id}) => !ids.includes(String(id)) && !isOther(String(id))));
    // Lists are newest first.
    if (page.some(({id}) => ids.includes(String(id)))) break;
  }
  return fresh;
}

/** True if the object has each parameter with the same value. */
function isMadeFrom(params: unknown, found: unknown): boolean {
  if (Array.isArray(params))
    return (
      Array.isArray(found) &&
      params.length === found.length &&
      params.every((each, index) => isMadeFrom(each, found[index]))
    );
  if (isJsonObject(params))
    return isJsonObject(found) && Object.entries(params).every(([name, value]) => isMadeFrom(value, found[name]));
  return String(params) === String(found);
}

/** What the payment shows now, in words. Another refund changes the amount too, so it proves nothing. */
async function refundsSince(context: Context, {params = {}, refunded = 0}: Seen): Promise<string> {
  const now = await refundedOf(context, params);
  return now === refunded
    ? `${formatPesos(now)} of the payment is refunded, as before. A refund may still be pending.`
    : `Of the payment, ${formatPesos(refunded)} was refunded before, and ${formatPesos(now)} is now.`;
}

/** Asks a person at a terminal whether an earlier change was made. @param observed what the account shows */
export async function askWhetherMade(
  {io, prompt, accountNow}: Context,
  {command, key, begun_at: at}: KeyedChange,
  observed?: string,
): Promise<'made' | 'not_made' | 'unknown'> {
  if (observed !== undefined) io.note(observed);
  return askOutcome(
    {prompt},
    `\`centavo ${command}\` under the key ${key}, ${momentText(at, await accountNow())}: was the change made?`,
  );
}

/** Asks for the id of what was made, if the API can read it. */
async function askForId({prompt}: Context, {resource}: RegisteredOperation): Promise<string | undefined> {
  if (!('get' in resource.operations)) return undefined;
  const {prefix, title} = resource.shape;
  const typed = await prompt.text(`Id of the ${title}:`, {
    validate: (text) => (shapeOfId(text.trim())?.prefix === prefix ? undefined : `An id starts with ${prefix}.`),
  });
  return typed.trim();
}

function unknownOutcome(
  context: Context,
  {command, key, begun_at: at, object}: KeyedChange,
  now: number,
  {params: {payment_id: payment} = {}}: Seen,
  observed?: string,
): CentavoError {
  const id = object ?? (typeof payment === 'string' ? payment : undefined);
  const getter = id === undefined ? undefined : getterOf(shapeOfId(id)!.prefix);
  const check: ErrorDetails =
    id === undefined || getter === undefined
      ? {hint: 'Check your dashboard. Then a person can answer at a terminal, with the same command.'}
      : {ids: [id], next: [nextCommand('Check', [getter.resource.topic, 'get'], id, accountArgs(context))]};
  return new CentavoError(
    'outcome_unknown',
    `centavo could not confirm whether \`${command}\` under the key ${quote(key)} was made ${momentText(at, now)}.`,
    {...check, why: observed, applied: 'unknown', changed: 'It was not repeated.', needsPerson: true},
  );
}
