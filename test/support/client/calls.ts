// The calls that faults are tested on, the API’s objects before and after each, and the client.

import {expect} from 'vitest';
import {createClient, type Client, type ClientOptions} from '../../../src/client/client.js';
import {errorLines, errorObject} from '../../../src/cli/dispatch/print-error.js';
import {CentavoError, type ErrorKind} from '../../../src/common/errors.js';
import {keptAnswer, socketServer, type RawRequest, type SocketServer, type Script} from '../services/sockets.js';
import {waitingTime} from '../far-limits.js';

export const KEY = 'sk_test_7Nq2Wb5Xc8Vm1Zk4Jh6G';
const ENCODED_KEY = Buffer.from(`${KEY}:`).toString('base64');

/** Milliseconds of the deadline if the fault is silence. */
export const SHORT = 450;
/** Milliseconds of additional waiting. */
const GRACE = 3000;

export const CUSTOMER = {
  id: 'cus_2mQ8',
  resource: 'customer',
  name: 'Juan Dela Cruz',
  email: 'juan@example.com',
  livemode: false,
};
export const STATEMENT = {id: 'bstm_7Hq2', resource: 'billing_statement', status: 'draft', amount: 125050};

export interface Call {
  readonly name: string;
  readonly run: (client: Client, options?: {signal?: AbortSignal}) => Promise<unknown>;
  readonly good: object;
}

/** A write that a get can settle: the object if the write was applied, and if not. */
export interface Settled extends Call {
  readonly applied: object | 404;
  readonly untouched: object;
}

export const READS: readonly Call[] = [
  {name: 'customers.get', run: (client, options) => client.customers.get('cus_2mQ8', options), good: CUSTOMER},
  {
    name: 'customers.list',
    run: async (client, options) => client.customers.list({limit: 5}, options),
    good: {resource: 'list', has_more: false, data: [CUSTOMER]},
  },
];

/** No read shows if these were applied. */
export const UNSETTLED: readonly Call[] = [
  {
    name: 'customers.create',
    run: (client, options) =>
      client.customers.create({name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP'}, options),
    good: CUSTOMER,
  },
  {
    name: 'billingStatements.create',
    run: (client, options) => client.billingStatements.create({customer_id: 'cus_2mQ8', currency: 'PHP'}, options),
    good: STATEMENT,
  },
  {
    name: 'billingStatementLineItems.create',
    run: (client, options) =>
      client.billingStatementLineItems.create(
        {billing_statement_id: 'bstm_7Hq2', description: 'Web design', unit_price: 125050, quantity: 1},
        options,
      ),
    good: {id: 'bstm_li_4Rt8', resource: 'billing_statement_line_item', unit_price: 125050},
  },
  {
    name: 'billingStatements.send',
    run: (client, options) => client.billingStatements.send('bstm_7Hq2', options),
    good: {},
  },
];

const settled = (name: string, run: Call['run'], applied: object, untouched: object): Settled => ({
  ...{name, run, good: applied, applied, untouched},
});
const deleted = (id: string, resource: string) => ({id, resource, deleted: true});
const methods = (...payment_methods: string[]) => ({due_at: 1_800_000_000, payment_settings: {payment_methods}});

export const SETTLED: readonly Settled[] = [
  settled(
    'billingStatements.finalize',
    (client, options) => client.billingStatements.finalize('bstm_7Hq2', options),
    {...STATEMENT, status: 'open'},
    STATEMENT,
  ),
  settled(
    'billingStatements.void',
    (client, options) => client.billingStatements.void('bstm_7Hq2', options),
    {...STATEMENT, status: 'void'},
    {...STATEMENT, status: 'open'},
  ),
  {
    name: 'billingStatements.delete',
    run: (client, options) => client.billingStatements.delete('bstm_7Hq2', options),
    good: deleted('bstm_7Hq2', 'billing_statement'),
    applied: 404,
    untouched: STATEMENT,
  },
  settled(
    'customers.delete',
    (client, options) => client.customers.delete('cus_2mQ8', options),
    deleted('cus_2mQ8', 'customer'),
    CUSTOMER,
  ),
  settled(
    'billingStatements.update',
    (client, options) => client.billingStatements.update('bstm_7Hq2', methods('card'), options),
    {...STATEMENT, ...methods('card')},
    // A list with more than the requested items was not changed.
    {...STATEMENT, ...methods('card', 'gcash')},
  ),
];

export const WRITES: readonly Call[] = [...UNSETTLED, ...SETTLED];

export type Settlement = 'applied' | 'unreadable' | 'untouched';

/** Answers the get that settles a write of unknown outcome. */
export function settlement(call: Settled, kind: Settlement): string {
  if (kind === 'unreadable') return keptAnswer(503, {errors: []});
  const shown = kind === 'applied' ? call.applied : call.untouched;
  return shown === 404 ? keptAnswer(404, {errors: [{code: 'resource_not_found', detail: ''}]}) : keptAnswer(200, shown);
}

/** The real client on real sockets. It advances its clock instead of waiting, and records the waits. */
export function clientOf(url: string, options: Partial<ClientOptions> = {}): {client: Client; waits: number[]} {
  const waits: number[] = [];
  const waited = () => waits.reduce((sum, each) => sum + each, 0);
  const client = createClient({
    key: KEY,
    baseUrl: url,
    timeout: 5000,
    random: () => 1,
    now: () => Date.now() + waited(),
    sleep: async (milliseconds) => void waits.push(milliseconds),
    ...options,
  });
  return {client, waits};
}

export interface Outcome {
  readonly result?: unknown;
  readonly error?: CentavoError;
  readonly requests: readonly RawRequest[];
  readonly connections: number;
  readonly waits: readonly number[];
}

/**
 * One call against a scripted server. It ends within its deadline, and its error contains no key.
 * The settling read has its own deadline, so silence may last twice as long.
 */
export async function attempt(call: Call, script: Script, options: Partial<ClientOptions> = {}): Promise<Outcome> {
  const server = await socketServer(script);
  const {client, waits} = clientOf(server.url, options);
  const waited = waitingTime();
  try {
    return await outcomeOf(call, client, server, waits);
  } finally {
    expect(waited()).toBeLessThan(2 * (options.timeout ?? 5000) + GRACE);
    await client.close();
    await server.close();
  }
}

async function outcomeOf(call: Call, client: Client, server: SocketServer, waits: readonly number[]): Promise<Outcome> {
  const seen = () => ({requests: [...server.requests], connections: server.connections(), waits});
  try {
    const result = await call.run(client);
    return {result, ...seen()};
  } catch (error) {
    expect(error).toBeInstanceOf(CentavoError);
    expectNoKey(error as CentavoError);
    return {error: error as CentavoError, ...seen()};
  }
}

export function expectNoKey(error: CentavoError): void {
  const shown = String([error.message, ...errorLines(error), JSON.stringify(errorObject(error)), error.stack]);
  expect(shown).not.toContain(KEY);
  expect(shown).not.toContain(ENCODED_KEY);
}

export interface Expected {
  readonly kind: ErrorKind;
  readonly code?: string;
  readonly applied?: 'no' | 'unknown';
  readonly requests: number;
}

export function expectError(outcome: Outcome, {kind, code = kind, applied, requests}: Expected): void {
  const {error, requests: sent} = outcome;
  expect({kind: error?.kind, code: error?.code, applied: error?.details.applied, requests: sent.length}).toEqual({
    ...{kind, code, applied, requests},
  });
}
