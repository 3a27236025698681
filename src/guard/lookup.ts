// Reads what a change is about before it is made: the named object or the one that it belongs to, and the customer.

import type {Resource, Shape} from '../api/operation.js';
import {getterOf, operations} from '../api/registry.js';
import {textOf} from '../api/statement.js';
import type {Client} from '../client/client.js';
import {CentavoError} from '../ground/errors.js';
import type {Hash} from '../ground/json.js';
import type {Call} from './describe.js';

export interface Found {
  readonly object?: Hash;
  readonly shape?: Shape;
  readonly part?: Hash;
  readonly customer?: string;
  readonly nextCustomer?: string;
}

/** Parts are searched for in this many of the newest objects. */
const SEARCHED = 1000;
const CUSTOMER = 'cus_';
const CONCURRENT_READS = 8;

/** Reads the objects of the calls of one command, which have the same operation. Nothing is read twice. */
export function createLookup(
  client: Pick<Client, 'perform'>,
  signal: AbortSignal,
): (calls: readonly Call[]) => Promise<Found[]> {
  const known = new Map<string, Promise<Hash>>();

  function read(prefix: string, id: string): Promise<Hash> {
    const made =
      known.get(id) ?? (client.perform({...getterOf(prefix)!, ids: [id], params: {}}, {signal}) as Promise<Hash>);
    known.set(id, made);
    return made;
  }

  async function subject({registered: {resource}, ids: [id], params}: Call): Promise<Found> {
    const {shape} = resource;
    if (id !== undefined) return getterOf(shape.prefix) ? {shape, object: await read(shape.prefix, id)} : {};
    const holder = holderOf(resource);
    const named = holder && params[holder.name];
    return typeof named === 'string' ? {shape: holder!.shape, object: await read(holder!.shape.prefix, named)} : {};
  }

  const nameOf = async (id: string): Promise<string> => textOf((await read(CUSTOMER, id)).name) ?? id;

  async function withCustomers(found: Found, {params}: Call): Promise<Found> {
    const {object = {}, shape} = found;
    const given = textOf(params.customer_id);
    const before =
      shape?.prefix === CUSTOMER ? (textOf(object.name) ?? textOf(object.id)) : await payerNameOf(object, nameOf);
    if (given === undefined) return {...found, customer: before};
    const name = await nameOf(given);
    return before === undefined || before === name
      ? {...found, customer: name}
      : {...found, customer: before, nextCustomer: name};
  }

  return async (calls) => {
    const parts = await findParts(client, calls, signal);
    const lookUp = async (call: Call) => withCustomers(parts?.get(call.ids[0]!) ?? (await subject(call)), call);
    const found: Found[] = [];
    for (let at = 0; at < calls.length; at += CONCURRENT_READS)
      found.push(...(await Promise.all(calls.slice(at, at + CONCURRENT_READS).map(lookUp))));
    return found;
  };
}

/** What a new object belongs to, and the parameter for it: the statement of a line item, the payment of a refund. */
function holderOf({operations: {create}}: Resource): {name: string; shape: Shape} | undefined {
  const found = Object.entries(create?.params ?? {}).find(([, {kind, required}]) => kind === 'id' && required);
  return found && {name: found[0], shape: getterOf(found[1].prefix!)!.resource.shape};
}

/** The customer is an id, an object with or without a name, or missing. A payment has at least billing details. */
async function payerNameOf(object: Hash, nameOf: (id: string) => Promise<string>): Promise<string | undefined> {
  const {name, id} = (object.customer ?? {}) as Hash;
  if (textOf(name)) return textOf(name);
  const known = textOf(object.customer) ?? textOf(id) ?? textOf(object.customer_id);
  return known === undefined ? textOf((object.billing as Hash | undefined)?.name) : nameOf(known);
}

/** The named parts with the objects that contain them, if the API returns them only there: line items of statements. */
async function findParts(
  client: Pick<Client, 'perform'>,
  calls: readonly Call[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Found> | undefined> {
  const {resource} = calls[0]!.registered;
  const missing = new Set(calls.flatMap(({ids}) => ids.slice(0, 1)));
  const shape = holderOf(resource)?.shape;
  const listing = operations.find((each) => each.verb === 'list' && each.resource.shape === shape);
  if (getterOf(resource.shape.prefix) || !listing || missing.size === 0) return undefined;
  const found = new Map<string, Found>();
  const objects = client.perform({...listing, ids: [], params: {limit: 100}}, {signal}) as AsyncIterable<Hash>;
  let count = 0;
  for await (const object of objects) {
    for (const part of Object.values(object).filter(Array.isArray).flat() as (Hash | null)[]) {
      const id = textOf(part?.id);
      if (id !== undefined && missing.delete(id)) found.set(id, {shape, object, part: part!});
    }
    if (missing.size === 0) return found;
    if (++count === SEARCHED) break;
  }
  const [id] = missing;
  throw new CentavoError('not_found', `the ${shape!.title} of ${id} was not found.`, {
    why: `It is not among the newest ${SEARCHED}, and the API cannot return ${id} by itself.`,
    applied: 'no',
  });
}
