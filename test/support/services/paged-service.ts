// A service with many pages of given customers and statements, newest first. Records each request.

import {createServer} from 'node:http';
import {onTestFinished} from 'vitest';
import {Watchers} from '../watchers.js';
import {answerJson} from './http.js';
import {listen} from './sockets.js';

type Wire = Record<string, any>;

export type PagedService = Awaited<ReturnType<typeof pagedService>>;

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
  readonly done?: (close: () => Promise<void>) => void;
}

export async function pagedService({ignoresFilters, done = onTestFinished}: PagedOptions = {}) {
  const watchers = new Watchers();
  const answers: Wire[] = [];
  let seen = 0;
  const made = {
    /** `GET /customers?email=…`, in order. */
    requests: [] as string[],
    /** The requests since the last call. */
    taken: () => made.requests.slice(seen, (seen = made.requests.length)),
    /** Resolves after this many more answers. */
    answered: (count: number) => watchers.counted(answers, answers.length + count),
    customers: [] as Wire[],
    statements: [] as Wire[],
    sessions: [] as Wire[],
    /** Objects that only reads by id return. */
    payments: [] as Wire[],
    /** True if the service has no list of checkout sessions, which the API does not document. */
    noSessions: false,
    /** Fields that statement lists omit. */
    leftOut: [] as readonly string[],
  };
  const asListed = (each: Wire): Wire =>
    Object.fromEntries(Object.entries(each).filter(([name]) => !made.leftOut.includes(name)));
  const answerTo = (target: string): Wire | undefined => {
    const {pathname, searchParams} = new URL(target, 'http://localhost');
    const [, topic, id] = pathname.split('/');
    if (made.noSessions && topic === 'checkout_sessions') return undefined;
    const {customers, statements: billing_statements, sessions: checkout_sessions, payments} = made;
    const all = ({customers, billing_statements, checkout_sessions, payments} as Record<string, Wire[]>)[topic!] ?? [];
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
    made.requests.push(`${request.method} ${decodeURIComponent(request.url!)}`);
    request.resume();
    request.on('end', () => {
      const answer = answerTo(request.url!);
      response.once('finish', () => {
        answers.push(answer ?? {});
        watchers.notify();
      });
      answerJson(
        response,
        answer ? 200 : 404,
        answer ?? {errors: [{code: 'resource_not_found', detail: 'It is not there.'}]},
      );
    });
  });
  const {url} = await listen(server, done);
  return Object.assign(made, {url});
}
