// The merchant's sandbox over HTTP, with planned failures.

import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {setTimeout as sleep} from 'node:timers/promises';
import {CONSISTENT_HEADER, type HttpMethod} from '../../../src/api/wire.js';
import type {Merchant} from '../scenarios/merchant.js';

/**
 * `refused` and `limited` change nothing. `answer lost` applies the change and loses the response. A late change is applied
 * after this many milliseconds, also without a response. A function is called, then the response is lost.
 */
export type Failure =
  | 'answer lost'
  | 'limited'
  | 'refused'
  | {readonly late: number}
  /** Refused with this error. */
  | {readonly error: {readonly code: string; readonly detail: string; readonly parameter?: string}}
  | {readonly before: () => Promise<unknown> | void}
  | {readonly after: () => Promise<unknown> | void};

export interface FailingServer {
  readonly url: string;
  /** `POST /billing_statements/…` without ids, in order of arrival; no GETs. */
  readonly changes: readonly string[];
  /** The same for all requests, with GETs. */
  readonly requests: readonly string[];
  /** Number of the current run, for tests that count runs. */
  run: number;
  /** Applied changes, each with its run. */
  readonly made: readonly {readonly run: number; readonly path: string}[];
  /** Resolves when late changes have been applied. */
  readonly settled: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

type Shown = Readonly<Record<string, any>>;

/**
 * @param failures by the number of the change or read, from 1
 * @param age age of statement reads in milliseconds; by default the service claims consistent reads
 */
export async function failingServer(
  merchant: Merchant,
  failures: Readonly<Record<number, Failure>> = {},
  reads: Readonly<Record<number, 'limited'>> = {},
  age?: () => number,
): Promise<FailingServer> {
  const changes: string[] = [];
  const requests: string[] = [];
  const late: Promise<unknown>[] = [];
  const made: {run: number; path: string}[] = [];
  let read = 0;
  /** History of the statements. */
  const past: {readonly at: number; readonly statements: readonly Shown[]}[] = [{at: 0, statements: []}];
  const remember = async (): Promise<void> => {
    const {data} = await merchant.call('GET', '/billing_statements?limit=100');
    const statements = await Promise.all(
      (data as Shown[]).map(({id}) => merchant.call('GET', `/billing_statements/${id}`)),
    );
    past.push({at: Date.now(), statements});
  };
  /** Result of an old read of statements; undefined for other reads. */
  const old = (path: string): Shown | undefined => {
    const [, kind, id, more] = path.split('/');
    if (!age || kind !== 'billing_statements' || more !== undefined) return undefined;
    const then = Date.now() - age();
    const {statements: data} = past.findLast(({at}) => at <= then)!;
    if (id === undefined) return {resource: 'list', has_more: false, data};
    return data.find((each) => each.id === id) ?? {errors: [{code: 'resource_not_found', detail: 'Not there yet.'}]};
  };
  const state = {run: 0, made};
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const [path = '', query = ''] = request.url!.split('?');
    const isChange = request.method !== 'GET';
    const named = `${request.method} ${path.replace(/\/[a-z_]+_[A-Za-z0-9]{32}/, '/:id')}`;
    requests.push(named);
    if (isChange) changes.push(named);
    const failure = isChange ? failures[changes.length] : reads[++read];
    const refuse = (status: number, code: string): void => {
      response.writeHead(status, {'content-type': 'application/json', 'retry-after': '600'});
      response.end(JSON.stringify({errors: [{code, detail: 'Not today.'}]}));
    };
    const {run} = state;
    const apply = async () => {
      const answered = await merchant.sandbox.handle({
        method: request.method as HttpMethod,
        path,
        query,
        headers: request.headers as Record<string, string>,
        body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
      });
      if (isChange && answered.status < 300) {
        made.push({run, path});
        if (age) await remember();
      }
      return answered;
    };
    if (typeof failure === 'object' && 'error' in failure) {
      response.writeHead(400, {'content-type': 'application/json'});
      return void response.end(JSON.stringify({errors: [failure.error]}));
    }
    if (failure === 'refused') return refuse(400, 'not_today');
    if (failure === 'limited') return refuse(429, 'rate_limited');
    if (typeof failure === 'object' && 'late' in failure) {
      late.push(sleep(failure.late).then(apply));
      return request.socket.resetAndDestroy();
    }
    if (typeof failure === 'object' && 'before' in failure) {
      await failure.before();
      return request.socket.destroy();
    }
    const shown = isChange ? undefined : old(path);
    if (shown) {
      response.writeHead(shown.errors ? 404 : 200, {'content-type': 'application/json'});
      return void response.end(JSON.stringify(shown));
    }
    const answer = await apply();
    if (failure !== undefined) {
      if (typeof failure === 'object') await failure.after();
      return request.socket.resetAndDestroy();
    }
    response.writeHead(answer.status, {...answer.headers, ...(!age && {[CONSISTENT_HEADER]: '1'})});
    return response.end(answer.status === 204 ? undefined : answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    changes,
    requests,
    settled: () => Promise.all(late),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
