// Reads the targets of a change before it is made: the named object or its parent, and the customer.

import type {Resource, Shape} from '../api/operation.js';
import {getterOf, operations} from '../api/registry.js';
import {statementText} from '../api/statement.js';
import type {Client} from '../client/client.js';
import {CentavoError} from '../common/errors.js';
import type {JsonObject} from '../common/json.js';
import type {DescribedCall} from './describe-change.js';

export interface FetchedTarget {
  readonly object?: JsonObject;
  readonly shape?: Shape;
  readonly part?: JsonObject;
  readonly customer?: string;
  readonly nextCustomer?: string;
}

/** Maximum number of objects searched for a part, newest first. */
const SEARCHED_OBJECTS = 1000;
const CUSTOMER_PATH = 'cus_';
const CONCURRENT_READS = 8;

/** Returns a function that reads the targets of calls of one operation. Each object is read only once. */
export function createTargetFetcher(
  client: Pick<Client, 'perform'>,
  signal: AbortSignal,
): (calls: readonly DescribedCall[]) => Promise<FetchedTarget[]> {
  const known = new Map<string, Promise<JsonObject>>();

  function read(prefix: string, id: string): Promise<JsonObject> {
    const reading =
      known.get(id) ?? (client.perform({...getterOf(prefix)!, ids: [id], params: {}}, {signal}) as Promise<JsonObject>);
    known.set(id, reading);
    return reading;
  }

  async function readTarget({registered: {resource}, ids: [id], params}: DescribedCall): Promise<FetchedTarget> {
    const {shape} = resource;
    if (id !== undefined) return getterOf(shape.prefix) ? {shape, object: await read(shape.prefix, id)} : {};
    const holder = holderOf(resource);
    const holderId = holder && params[holder.name];
    return typeof holderId === 'string'
      ? {shape: holder!.shape, object: await read(holder!.shape.prefix, holderId)}
      : {};
  }

  const nameOf = async (id: string): Promise<string> => statementText((await read(CUSTOMER_PATH, id)).name) ?? id;

  async function withCustomers(found: FetchedTarget, {params}: DescribedCall): Promise<FetchedTarget> {
    const {object = {}, shape} = found;
    const given = statementText(params.customer_id);
    const before =
      shape?.prefix === CUSTOMER_PATH
        ? (statementText(object.name) ?? statementText(object.id))
        : await payerNameOf(object, nameOf);
    if (given === undefined) return {...found, customer: before};
    const name = await nameOf(given);
    return before === undefined || before === name
      ? {...found, customer: name}
      : {...found, customer: before, nextCustomer: name};
  }

  return async (calls) => {
    const parts = await findParts(client, calls, signal);
    const lookUp = async (call: DescribedCall) =>
      withCustomers(parts?.get(call.ids[0]!) ?? (await readTarget(call)), call);
    const found: FetchedTarget[] = [];
    for (let at = 0; at < calls.length; at += CONCURRENT_READS)
      found.push(...(await Promise.all(calls.slice(at, at + CONCURRENT_READS).map(lookUp))));
    return found;
  };
}

/** Returns the parameter with the id of a new object's parent, such as a refund's payment, and the parent's shape. */
function holderOf({operations: {create}}: Resource): {name: string; shape: Shape} | undefined {
  const found = Object.entries(create?.params ?? {}).find(([, {kind, required}]) => kind === 'id' && required);
  return found && {name: found[0], shape: getterOf(found[1].prefix!)!.resource.shape};
}

/** Returns the payer's name. `customer` is an id, an object or missing; a payment then has billing details. */
async function payerNameOf(object: JsonObject, nameOf: (id: string) => Promise<string>): Promise<string | undefined> {
  const {name, id} = (object.customer ?? {}) as JsonObject;
  if (statementText(name)) return statementText(name);
  const known = statementText(object.customer) ?? statementText(id) ?? statementText(object.customer_id);
  return known === undefined ? statementText((object.billing as JsonObject | undefined)?.name) : nameOf(known);
}

/** Finds parts in their parent objects if the API returns them only there, as it does line items. */
async function findParts(client: Pick<Client, 'perform'>, calls: readonly DescribedCall[], signal: AbortSignal) {
  const {resource} = calls[0]!.registered;
  const missing = new Set(calls.flatMap(({ids}) => ids.slice(0, 1)));
  const shape = holderOf(resource)?.shape;
  const listing = operations.find((each) => each.verb === 'list' && each.resource.shape === shape);
  if (getterOf(resource.shape.prefix) || !listing || missing.size === 0) return undefined;
  const found = new Map<string, FetchedTarget>();
  const objects = client.perform({...listing, ids: [], params: {limit: 100}}, {signal}) as AsyncIterable<JsonObject>;
  let count = 0;
  for await (const object of objects) {
    for (const part of Object.values(object).filter(Array.isArray).flat() as (JsonObject | null)[]) {
      const id = statementText(part?.id);
      if (id !== undefined && missing.delete(id)) found.set(id, {shape, object, part: part!});
    }
    if (missing.size === 0) return found;
    if (++count === SEARCHED_OBJECTS) break;
  }
  const [id] = missing;
  throw new CentavoError('not_found', `the ${shape!.title} of ${id} was not found.`, {
    why: `It is not among the newest ${SEARCHED_OBJECTS}, and the API cannot return ${id} by itself.`,
    applied: 'no',
  });
}
