// A fake service that answers every operation with an object of the right kind, and records requests.
// Requests change its one created statement.

import {operations, type RegisteredOperation} from '../../../src/api/registry.js';
import type {Shape} from '../../../src/api/operation.js';
import {httpAnswer, rawServer} from './servers.js';

export type Service = Awaited<ReturnType<typeof service>>;

type Wire = Record<string, unknown>;

/** Other responses, by id. A status instead of an object refuses the request. */
export type Objects = Readonly<Record<string, Wire | string>>;

/** Fields of every object: a statement of ₱31,000.00 for Juan Dela Cruz, with one item. */
const ITEM_ID = 'bstm_li_4Rt8';
const ANSWERED: Wire = {
  livemode: true,
  amount: 3_100_000,
  amount_refunded: 0,
  status: 'draft',
  name: 'Juan Dela Cruz',
  email: 'juan@example.com',
  customer: {id: 'cus_2mQ8', name: 'Juan Dela Cruz', email: 'juan@example.com'},
  line_items: [{id: ITEM_ID, description: 'Web design', unit_price: 1_550_000, quantity: 2}],
  url: 'https://shop.example/hooks',
  events: ['payment_intent.succeeded'],
  secret_key: 'whsk_MadeUpForTests0123456789',
};

const CREATED = 'bstm_Made1';

/** Objects for a single read and for lists. */
export interface Bodies {
  readonly one: (shape: Shape, id: string) => Wire;
  readonly list: (shape: Shape) => Wire[];
}

const madeUp: Bodies = {
  one: ({name}, id) => ({...ANSWERED, id, resource: name}),
  list: (shape) => [madeUp.one(shape, `${shape.prefix}Made1`)],
};

export async function service(objects: Objects = {}, bodies: Bodies = madeUp) {
  let created: Wire | undefined;
  /** Applies a request to the created statement. */
  const change = (verb: string, topic: string, body: Wire): void => {
    const items = (created?.line_items ?? []) as Wire[];
    if (`${topic} ${verb}` === 'billing-statements create')
      created = {status: 'draft', line_items: [], amount: 0, due_at: null, metadata: body.metadata};
    else if (`${topic} ${verb}` === 'billing-statements update') created = {...created, ...body};
    else if (`${topic} ${verb}` === 'billing-statements finalize') created = {...created, status: 'open'};
    else if (`${topic} ${verb}` === 'billing-statement-line-items create' && body.billing_statement_id === CREATED) {
      const all = [...items, {...body, id: `bstm_li_Made${items.length + 1}`}] as {
        quantity: number;
        unit_price: number;
      }[];
      const amount = all.reduce((sum, {quantity, unit_price}) => sum + quantity * unit_price, 0);
      created = {...created, line_items: all, amount};
    }
  };
  /** Updates to existing statements: owner and due date. */
  const written = new Map<string, Wire>();
  const kept = ({verb, resource}: RegisteredOperation, id: string, {metadata, due_at}: Wire): Wire | undefined => {
    const known = objects[id];
    if (resource.topic !== 'billing-statements' || typeof known === 'string') return undefined;
    if (verb === 'update' && metadata !== undefined) written.set(id, {...known, metadata, due_at});
    const own = written.get(id);
    if (own && verb === 'finalize') written.set(id, {...own, status: 'open'});
    return own;
  };
  const itemOf = (verb: string, text: string): Wire => {
    const items = (created?.line_items ?? []) as Wire[];
    return {...bodyOf(text), ...(verb === 'create' && items.length > 0 && {id: items.at(-1)!.id})};
  };
  const answer = (text: string): string => {
    const {method, path} = headOf(text);
    const found = operations.find(({operation}) => operation.method === method && patternOf(operation.path).test(path));
    if (!found) return httpAnswer('404 Not Found', '{"errors":[{"code":"route_not_found","detail":"No such route."}]}');
    const ids = patternOf(found.operation.path).exec(path)!.slice(1);
    const {kind, shape} = found.operation.returns;
    change(found.verb, found.resource.topic, bodyOf(text));
    const id = ids.at(-1) ?? `${shape.prefix}Made1`;
    const made = id === CREATED ? created : kept(found, id, bodyOf(text));
    const own =
      kind === 'list'
        ? objects[id]
        : (made ?? objects[id] ?? (shape.prefix === 'bstm_li_' ? itemOf(found.verb, text) : undefined));
    if (typeof own === 'string')
      return httpAnswer(own, '{"errors":[{"code":"resource_not_found","detail":"It is not there."}]}');
    if (kind === 'nothing') return httpAnswer('204 No Content', '');
    return httpAnswer('200 OK', JSON.stringify(answerOf(found, kind, ids.at(-1), bodies, own)));
  };
  const server = await rawServer(answer);
  const sent = () => server.requests.map((text) => headOf(text)).map(({method, path}) => `${method} ${path}`);
  return {
    url: server.url,
    writes: () => sent().filter((line) => !line.startsWith('GET ')),
    reads: () => sent().filter((line) => line.startsWith('GET ')),
    close: server.close,
  };
}

function headOf(text: string): {method: string; path: string} {
  const [method = '', target = ''] = text.split(' ', 2);
  return {method, path: target.split('?')[0]!};
}

function bodyOf(text: string): Wire {
  const body = Buffer.from(text.slice(text.indexOf('\r\n\r\n') + 4), 'latin1').toString();
  return /^content-type: application\/json/im.test(text) && body ? (JSON.parse(body) as Wire) : {};
}

const patternOf = (path: string): RegExp => new RegExp(`^${path.replace(/:[a-z_]+/g, '([^/]+)')}$`);

function answerOf(
  {operation}: RegisteredOperation,
  kind: string,
  asked: string | undefined,
  bodies: Bodies,
  own?: Wire,
): Wire {
  const {shape} = operation.returns;
  const id = asked?.startsWith(shape.prefix) ? asked : `${shape.prefix}Made1`;
  if (kind === 'deleted') return {id, resource: shape.name, deleted: true};
  if (kind === 'list')
    return {resource: 'list', has_more: false, data: own ? [{...bodies.one(shape, id), ...own}] : bodies.list(shape)};
  return {...bodies.one(shape, id), ...own, ...(operation.reaches && {status: operation.reaches})};
}
