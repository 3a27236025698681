// The embedded sandbox of a machine, in its file: what happened in it is read from its log of requests.

import {join} from 'node:path';
import type {ApiRequest, HttpMethod} from '../../../src/api/wire.js';
import {payStatement} from '../../../src/sandbox/payments/pay-statement.js';
import type {LogEntry} from '../../../src/sandbox/requests/request-log.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import type {Applied, By} from './hostile-service.js';
import type {Act, Truth, World} from './world.js';

/** What a history needs of an account. */
export type Account = Pick<World, 'applied' | 'call' | 'now' | 'pays' | 'person'> & {
  readonly truth: () => Pick<Truth, 'createdBy' | 'emails' | 'id' | 'status' | 'voided'>[];
};

/** The version of a simulated process, by which the log knows it. */
export const versionOf = (run: number): string => `0.0.${run}`;

const authorOf = (userAgent: string | null): By => {
  const run = /^centavo\/0\.0\.(\d+) /.exec(userAgent ?? '')?.[1];
  return run === undefined ? 'person' : Number(run);
};

export class EmbeddedAccount implements Account {
  readonly #sandbox;

  /** @param now milliseconds by the clock of the machine */
  constructor(folder: string, now: () => number) {
    this.#sandbox = openSandbox({path: join(folder, 'sandbox.db'), now: () => Math.floor(now() / 1000)});
  }

  /** Milliseconds by the clock of the sandbox. */
  now = (): number => this.#sandbox.now() * 1000;

  advance(milliseconds: number): void {
    this.#sandbox.advanceClock(Math.round(milliseconds / 1000));
  }

  reset(): void {
    this.#sandbox.reset();
  }

  get applied(): readonly Applied[] {
    const sql = 'SELECT entry, response_body FROM requests ORDER BY seq';
    const rows = this.#sandbox.requests.database.all<{entry: string; response_body: string | null}>(sql);
    return rows.flatMap(({entry, response_body: body}): Applied[] => {
      const {at, method, path, status, user_agent: agent} = JSON.parse(entry) as LogEntry;
      if (method === null || path === null || method === 'GET' || (status ?? 500) >= 300) return [];
      const id = body === null || body === '' ? undefined : (JSON.parse(body) as {id?: string}).id;
      const known = {statementId: undefined, after: undefined, machine: undefined};
      return [{at: at * 1000, by: authorOf(agent), method, path, id, ...known}];
    });
  }

  truth(): ReturnType<Account['truth']> {
    const {applied} = this;
    return applied.flatMap(({method, path, id, by}) => {
      if (method !== 'POST' || path !== '/billing_statements' || id === undefined) return [];
      const ends = (end: string) => applied.filter((each) => each.path === `/billing_statements/${id}/${end}`);
      const status = this.#sandbox.perform((tx) => tx.peek(id)?.status ?? 'deleted') as Truth['status'];
      const emails = ends('send').map((each) => ({at: each.at, by: each.by, amount: 0}));
      return [{id, createdBy: by, status, emails, voided: ends('void')[0]}];
    });
  }

  call = async (method: HttpMethod, path: string, body?: object): Promise<any> => {
    const authorization = `Basic ${Buffer.from(`${this.#sandbox.keys.secret}:`).toString('base64')}`;
    const headers = {authorization, 'content-type': 'application/json', 'user-agent': 'person'};
    const request: ApiRequest = {method, path, query: '', headers, body: body && Buffer.from(JSON.stringify(body))};
    const response = await this.#sandbox.handle(request);
    const text = Buffer.from(response.body).toString();
    return text ? JSON.parse(text) : {status: response.status};
  };

  pays(id: string): void {
    this.#sandbox.perform((tx) => payStatement(tx, id));
  }

  async person(act: Act, id: string): Promise<boolean> {
    await this.call('POST', `/billing_statements/${id}/${act}`);
    return true;
  }

  close(): void {
    this.#sandbox.close();
  }
}
