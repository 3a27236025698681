// A machine that release 0.6.0 left, with the files that it wrote there, and the service with what it had made by then.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {HttpMethod} from '../../../src/api/wire.js';
import {temporaryDirectory} from '../cli.js';
import {failingServer} from '../services/failing.js';
import {skippedOn} from '../skipped-time.js';
import {Merchant} from './merchant.js';

/** One line of `requests.jsonl`. */
interface Asked {
  readonly method: HttpMethod;
  readonly path: string;
  readonly body?: Record<string, unknown>;
  /** What it made, or changed. */
  readonly id?: string;
  /** Unix seconds; the time of the machine where it is left out. */
  readonly at?: number;
}

export interface Wanted {
  /** Unix seconds of the last word of 0.6.0. */
  readonly at: number;
  /** How many seconds later it is now. */
  readonly later: number;
  /** The last request comes only now, at the worst moment that there is within the settle time. */
  readonly isLate?: boolean;
}

const SETTLE = 15;

/** The id of the statement that such a request emails, if it does. */
const sentBy = (path: string): string[] => /^\/billing_statements\/(\w+)\/send$/.exec(path)?.slice(1) ?? [];

/** @param folder one of `test/fixtures/0.6.0` */
export async function leftBehind(folder: string, {at, later, isLate = false}: Wanted) {
  const directory = temporaryDirectory();
  const startedAt = Date.now();
  const now = (): number => (at + later) * 1000 + Date.now() - startedAt + skippedOn(directory);
  let past: number | undefined;
  const merchant = new Merchant(temporaryDirectory(), () => past ?? Math.floor(now() / 1000));
  onTestFinished(() => merchant.close());

  const renamed = new Map<string, string>();
  const anew = (text: string): string => [...renamed].reduce((all, [old, own]) => all.replaceAll(old, own), text);
  const emailed: string[] = [];
  const ask = async (line: string): Promise<void> => {
    const {id} = JSON.parse(line) as Asked;
    const {method, path, body} = JSON.parse(anew(line)) as Asked;
    const answer = await merchant.call(method, path, body);
    if (id !== undefined) renamed.set(id, answer.id as string);
    emailed.push(...sentBy(path));
  };
  const lines = readFileSync(join(folder, 'requests.jsonl'), 'utf8').trimEnd().split('\n');
  let last = isLate ? lines.pop()! : undefined;
  for (const line of lines) {
    past = (JSON.parse(line) as Asked).at;
    await ask(line);
  }
  past = undefined;

  const {handle} = merchant.sandbox;
  const sandbox: typeof merchant.sandbox = {
    ...merchant.sandbox,
    handle: async (request) => {
      if (last !== undefined && (request.path.endsWith('/finalize') || now() >= (at + SETTLE) * 1000)) {
        const line = last;
        last = undefined;
        await ask(line);
      }
      return handle(request);
    },
  };
  const server = await failingServer({sandbox} as Merchant);
  onTestFinished(server.close);
  return {
    ...{directory, merchant, server, now, renamed},
    env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret},
    /** A text of 0.6.0 with the ids that the service has given this time. */
    anew,
    statements: async () => (await merchant.call('GET', '/billing_statements?limit=100')).data as Record<string, any>[],
    /** Ids of what was emailed, once for each time. */
    emails: () => [...emailed, ...server.made.flatMap(({path}) => sentBy(path))],
  };
}
