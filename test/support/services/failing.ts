// The merchant's sandbox over HTTP, with planned failures.

import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {CONSISTENT_HEADER} from '../../../src/api/wire.js';
import type {Merchant} from '../scenarios/merchant.js';
import {answerJson, requestOf} from './http.js';
import {listen} from './sockets.js';

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
) {
  /** `POST /billing_statements/…` without ids, in order of arrival; no GETs. */
  const changes: string[] = [];
  /** The same for all requests, with GETs. */
  const requests: string[] = [];
  const late: Promise<unknown>[] = [];
  /** Applied changes, each with its run. */
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
  /** With the number of the current run, for tests that count runs, and the service's time in milliseconds. */
  const state = {run: 0, made, now: () => merchant.sandbox.now() * 1000};
  const server = createServer(async (request, response) => {
    response.setHeader('date', new Date(state.now()).toUTCString());
    const asked = await requestOf(request);
    const {path, kind, isChange} = asked;
    requests.push(kind);
    if (isChange) changes.push(kind);
    const failure = isChange ? failures[changes.length] : reads[++read];
    const refuse = (status: number, code: string): void =>
      answerJson(response, status, {errors: [{code, detail: 'Not today.'}]}, {'retry-after': '600'});
    const {run} = state;
    const apply = async () => {
      const answered = await merchant.sandbox.handle(asked);
      if (isChange && answered.status < 300) {
        made.push({run, path});
        if (age) await remember();
      }
      return answered;
    };
    if (typeof failure === 'object' && 'error' in failure) return answerJson(response, 400, {errors: [failure.error]});
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
    if (shown) return answerJson(response, shown.errors ? 404 : 200, shown);
    const answer = await apply();
    if (failure !== undefined) {
      if (typeof failure === 'object') await failure.after();
      return request.socket.resetAndDestroy();
    }
    response.writeHead(answer.status, {...answer.headers, ...(!age && {[CONSISTENT_HEADER]: '1'})});
    return response.end(answer.status === 204 ? undefined : answer.body);
  });
  const {url, close} = await listen(server);
  /** Resolves when late changes have been applied. */
  const settled = (): Promise<unknown> => Promise.all(late);
  return Object.assign(state, {url, changes, requests, settled, close});
}
