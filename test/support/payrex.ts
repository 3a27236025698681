// The official client of the service, payrex-node, as its users install it, pointed at a served sandbox.

import {createRequire} from 'node:module';
import {onTestFinished} from 'vitest';
import {createEmbeddedSandbox} from '../../src/sandbox/embedded.js';

/** It comes without types. */
export type Payrex = any;

export const START = 1_790_000_000;
export const DAY = 86_400;

const Client: Payrex = createRequire(import.meta.url)('payrex-node');

// Its HTTP client uses any proxy of the environment, even for a server on this machine.
process.env.no_proxy = '127.0.0.1';

export type Foreign = Awaited<ReturnType<typeof foreign>>;

/** @param faults as `--faults` writes them */
export async function foreign(faults?: string) {
  const sandbox = createEmbeddedSandbox({now: () => START});
  const server = await sandbox.serve({port: 0, faults});
  onTestFinished(async () => {
    await server.close();
    sandbox.close();
  });
  /** A client of the same sandbox with another key. */
  const withKey = (key: string): Payrex => clientAt(server.url, key);
  return {payrex: withKey(sandbox.keys.secret), sandbox, url: server.url, withKey};
}

/** Each service takes the base URL from the client's config when it is made, so they are made again. */
function clientAt(url: string, key: string): Payrex {
  const client = new Client(key);
  client.config.apiBaseUrl = url;
  for (const [name, service] of services(client)) client[name] = new service.constructor(client);
  return client;
}

/** Its services by name: the members with an HTTP client. */
export const services = (client: Payrex): [string, Payrex][] =>
  Object.entries<Payrex>(client).filter(([, member]) => member.httpClient !== undefined);

/** Every method of every service, as `service.method`. */
export function methodsOf(client: Payrex): string[] {
  return services(client).flatMap(([name, service]) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(service))
      .filter((method) => method !== 'constructor')
      .map((method) => `${name}.${method}`),
  );
}

/** The same client; each method that is called is noted as `service.method`. */
export function recorded(client: Payrex, called: Set<string>): Payrex {
  const noted = services(client).map(([name, service]) => [
    name,
    new Proxy(service, {
      get:
        (target, method) =>
        (...args: unknown[]): unknown => {
          called.add(`${name}.${String(method)}`);
          return target[method](...args);
        },
    }),
  ]);
  return Object.fromEntries(noted);
}

/** Names of an entity's properties that the answer had nothing for. */
export const unfilled = (entity: object): string[] =>
  Object.entries(entity).flatMap(([name, value]) => (value === undefined ? [name] : []));

export const line = {name: 'T-shirt', amount: 45_000, quantity: 2};

export const session = (payrex: Payrex, fields: object = {}): Promise<Payrex> =>
  payrex.checkoutSessions.create({
    currency: 'PHP',
    line_items: [line],
    success_url: 'https://shop.example/thanks?order=1&x=2',
    cancel_url: 'https://shop.example/cart',
    ...fields,
  });

export const customer = (payrex: Payrex, fields: object = {}): Promise<Payrex> =>
  payrex.customers.create({name: 'Juan Dela Cruz', email: 'juan@example.com', currency: 'PHP', ...fields});

export async function draft(payrex: Payrex, fields: object = {}): Promise<Payrex> {
  const {id: customer_id} = await customer(payrex);
  const {id} = await payrex.billingStatements.create({customer_id, currency: 'PHP', ...fields});
  await payrex.billingStatementLineItems.create({
    billing_statement_id: id,
    description: 'Web design',
    unit_price: 150_000,
    quantity: 1,
  });
  return payrex.billingStatements.update(id, {due_at: START + 10 * DAY});
}
