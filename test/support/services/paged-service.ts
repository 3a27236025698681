// A service with many pages of given customers and statements, newest first. Records each request.

import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {onTestFinished} from 'vitest';
import {Watchers} from '../watchers.js';

type Wire = Record<string, any>;

export interface PagedService {
  readonly url: string;
  /** `GET /customers?email=…`, in order. */
  readonly requests: string[];
  /** The requests since the last call. */
  readonly taken: () => string[];
  /** Resolves after this many more answers. */
  readonly answered: (count: number) => Promise<void>;
  customers: Wire[];
  statements: Wire[];
  /** Objects that only reads by id return. */
  payments: Wire[];
  /** Fields that statement lists omit. */
  leftOut: readonly string[];
}

export const customerNumbered = (index: number, more: Wire = {}): Wire => ({
  id: `cus_${String(index).padStart(32, '0')}`,
  resource: 'customer',
  name: `Customer ${index}`,
  email: `customer${index}@example.com`,
  currency: 'PHP',
  livemode: false,
  created_at: 1_790_000_000 + index,
  updated_at: 1_790_000_000 + index,
  ...more,
});

export const statementNumbered = (index: number, more: Wire = {}): Wire => ({
  id: `bstm_${String(index).padStart(32, '0')}`,
  resource: 'billing_statement',
  billing_statement_number: `SHOP-${String(index).padStart(4, '0')}`,
  status: 'open',
  amount: 150_000,
  currency: 'PHP',
  customer: {id: customerNumbered(1).id, name: 'Customer 1', email: 'customer1@example.com'},
  line_items: [],
  livemode: false,
  due_at: 1_800_000_000,
  created_at: 1_790_000_000 + index,
  updated_at: 1_790_000_000 + index,
  ...more,
});

interface PagedOptions {
  /** True if customer lists ignore the limit. */
  readonly ignoresFilters?: boolean;
  readonly done?: (close: () => void) => void;
}

export async function pagedService({ignoresFilters, done = onTestFinished}: PagedOptions = {}): Promise<PagedService> {
  const requests: string[] = [];
  const answers: Wire[] = [];
  const watchers = new Watchers();
  let seen = 0;
  const made: PagedService = {
    get url() {
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    },
    requests,
    taken: () => {
      const taken = requests.slice(seen);
      seen = requests.length;
      return taken;
    },
    answered: (count) => watchers.counted(answers, answers.length + count),
    customers: [],
    statements: [],
    payments: [],
    leftOut: [],
  };
  const asListed = (each: Wire): Wire =>
    Object.fromEntries(Object.entries(each).filter(([name]) => !made.leftOut.includes(name)));
  const answerTo = (target: string): Wire | undefined => {
    const {pathname, searchParams} = new URL(target, 'http://localhost');
    const [, topic, id] = pathname.split('/');
    const topics: Record<string, Wire[]> = {
      ...{customers: made.customers, billing_statements: made.statements, payments: made.payments},
    };
    const all = topics[topic!] ?? [];
    if (id !== undefined) return all.find((each) => each.id === id);
    const fits = (each: Wire): boolean =>
      ignoresFilters ||
      ['email', 'name'].every((field) => {
        const wanted = searchParams.get(field);
        return wanted === null || String(each[field]).toLowerCase() === wanted.toLowerCase();
      });
    const listed = all.filter(fits);
    const from = listed.findIndex((each) => each.id === searchParams.get('after')) + 1;
    const to = from + Number(searchParams.get('limit') ?? 10);
    return {resource: 'list', has_more: to < listed.length, data: listed.slice(from, to).map(asListed)};
  };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${decodeURIComponent(request.url!)}`);
    request.resume();
    request.on('end', () => {
      const answer = answerTo(request.url!);
      response.statusCode = answer ? 200 : 404;
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify(answer ?? {errors: [{code: 'resource_not_found', detail: 'It is not there.'}]}),
        () => {
          answers.push(answer ?? {});
          watchers.notify();
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  done(() => {
    server.close();
    server.closeAllConnections();
  });
  return made;
}
