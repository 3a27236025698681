// Reads what a change is about, before it is made: the named object or the one that it belongs to, and who the customer is.

import {getterOf, operations, type RegisteredOperation} from '../api/registry.js';
import type {Shape} from '../api/operation.js';
import type {Client} from '../client/client.js';
import type {Pages} from '../client/pages.js';
import {CentavoError} from '../errors.js';
import type {Hash} from './amounts.js';
import type {Call} from './describe.js';

/** What there is to know of a call beforehand. All of it is missing where the API does not give it. */
export interface Found {
  /** The named object, or else the one that it belongs to: the payment of a refund. */
  readonly object?: Hash;
  readonly shape?: Shape;
  /** The named part of that object: a line item of a statement. */
  readonly part?: Hash;
  /** The customer's name, or the id of one without. */
  readonly customer?: string;
  /** The customer who takes that one's place. */
  readonly nextCustomer?: string;
}

/** Parts are searched for in this many objects, the newest ones: a list ends somewhere. */
const SEARCHED = 1000;
const CUSTOMER = 'cus_';
/** How many objects are read at a time. */
const AT_A_TIME = 8;

/** Reads what the calls of one command are about; nothing is read twice. */
export function createLookup(
  client: Pick<Client, 'perform'>,
  signal: AbortSignal,
): (calls: readonly Call[]) => Promise<Found[]> {
  const known = new Map<string, Promise<Hash>>();
  const searches = new Map<string, (id: string) => Promise<FoundPart>>();

  function read(prefix: string, id: string): Promise<Hash> {
    const made =
      known.get(id) ?? (client.perform({...getterOf(prefix)!, ids: [id], params: {}}, {signal}) as Promise<Hash>);
    known.set(id, made);
    return made;
  }

  function search(holder: RegisteredOperation, id: string): Promise<FoundPart> {
    const find = searches.get(holder.id) ?? searcher(client, holder, signal);
    searches.set(holder.id, find);
    return find(id);
  }

  async function subject({registered: {resource}, ids: [id], params}: Call): Promise<Found> {
    const {shape} = resource;
    if (id !== undefined && getterOf(shape.prefix)) return {shape, object: await read(shape.prefix, id)};
    const holder = holderOf(resource.operations.create?.params ?? {});
    if (!holder) return {};
    const of = shapeOf(holder.prefix);
    if (id === undefined) {
      const named = params[holder.name];
      return typeof named === 'string' ? {shape: of, object: await read(holder.prefix, named)} : {};
    }
    const listing = operations.find(({resource: {shape: each}, verb}) => verb === 'list' && each === of);
    return listing ? {shape: of, ...(await search(listing, id))} : {};
  }

  const nameOf = async (id: string): Promise<string> => textOf((await read(CUSTOMER, id)).name) ?? id;

  async function lookUp(call: Call): Promise<Found> {
    const found = await subject(call);
    const {object = {}, shape} = found;
    const given = textOf(call.params.customer_id);
    const before =
      shape?.prefix === CUSTOMER ? (textOf(object.name) ?? textOf(object.id)) : await payerOf(object, nameOf);
    if (given === undefined) return {...found, customer: before};
    const name = await nameOf(given);
    return before === undefined || before === name
      ? {...found, customer: name}
      : {...found, customer: before, nextCustomer: name};
  }

  return async (calls) => {
    const found: Found[] = [];
    for (let at = 0; at < calls.length; at += AT_A_TIME)
      found.push(...(await Promise.all(calls.slice(at, at + AT_A_TIME).map(lookUp))));
    return found;
  };
}

const shapeOf = (prefix: string): Shape => getterOf(prefix)!.resource.shape;
const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The parameter that says what a new object belongs to: the statement of a line item, the payment of a refund, the customer of a session. */
function holderOf(params: RegisteredOperation['operation']['params']): {name: string; prefix: string} | undefined {
  const found = Object.entries(params).find(([, {kind, required}]) => kind === 'id' && required);
  return found && {name: found[0], prefix: found[1].prefix!};
}

/** Related customers come as an id, as a hash with or without a name, or not at all; a payment knows at least who it is billed to. */
async function payerOf(object: Hash, nameOf: (id: string) => Promise<string>): Promise<string | undefined> {
  const {name, id} = (object.customer ?? {}) as Hash;
  if (textOf(name)) return textOf(name);
  const known = textOf(object.customer) ?? textOf(id) ?? textOf(object.customer_id);
  return known === undefined ? textOf((object.billing as Hash | undefined)?.name) : nameOf(known);
}

interface FoundPart {
  readonly object: Hash;
  readonly part: Hash;
}

/** Finds parts in the objects of a list, which is walked once for all of them. @throws CentavoError kind `not_found` */
function searcher(
  client: Pick<Client, 'perform'>,
  listing: RegisteredOperation,
  signal: AbortSignal,
): (id: string) => Promise<FoundPart> {
  const pages = client.perform({...listing, ids: [], params: {limit: 100}}, {signal}) as Pages<{id: string} & Hash>;
  const objects = pages[Symbol.asyncIterator]();
  const parts = new Map<string, FoundPart>();
  let count = 0;
  const find = async (id: string): Promise<FoundPart> => {
    while (!parts.has(id)) {
      const next = count < SEARCHED ? await objects.next() : undefined;
      if (!next || next.done) throw notFound(id, listing.resource.shape.title);
      count++;
      for (const part of Object.values(next.value).filter(Array.isArray).flat() as Hash[])
        if (textOf(part?.id)) parts.set(part.id as string, {object: next.value, part});
    }
    return parts.get(id)!;
  };
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: they share the walk.
  return (id) => {
    const found = last.then(() => find(id));
    last = found.catch(() => {});
    return found;
  };
}

const notFound = (id: string, title: string): CentavoError =>
  new CentavoError('not_found', `the ${title} that ${id} belongs to was not found.`, {
    why: `It is in none of the newest ${SEARCHED}, and the API does not give ${id} alone.`,
    applied: 'no',
  });
