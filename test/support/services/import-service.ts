// A service for imports: a sandbox in memory over HTTP, with faults at random, a limit of requests a second, and a delay.

import {createServer} from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {PLAN_KEY} from '../../../src/billing/statement/metadata-keys.js';
import {itemsOf, type BillingStatementData} from '../../../src/billing/statement/plan.js';
import {createClient} from '../../../src/client/client.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {answerJson, requestOf} from './http.js';
import {LIVE_KEY} from './servers.js';
import {listen} from './sockets.js';

export interface ImportFaults {
  /** Probabilities per change: 503 before it, a reset or a 500 after it, and a late one without a response. */
  readonly before?: number;
  readonly reset?: number;
  readonly after?: number;
  readonly late?: number;
  /** Loses the responses to sends. */
  readonly losesSends?: boolean;
  /** Requests per second; more are answered 429. */
  readonly perSecond?: number;
  /** Milliseconds before each answer. */
  readonly latency?: number;
  /** Called before each change, with its number from 1. */
  readonly onChange?: (number: number, path: string) => unknown;
  /** Refuses a change with 400 and this text. @param request `POST /customers` */
  readonly refuses?: (request: string, body: string) => string | undefined;
}

export type ImportService = Awaited<ReturnType<typeof importService>>;

/** Milliseconds. */
const PAUSE = 500;

export async function importService(faults: ImportFaults = {}, seed = 1) {
  /** Seconds by which the service's clock is ahead. */
  const clock = {ahead: 0};
  const sandbox = openSandbox({now: () => Math.floor(Date.now() / 1000) + clock.ahead});
  const chance = seededRandom(seed);
  const late: Promise<unknown>[] = [];
  const emails = new Map<string, number>();
  let changes = 0;
  const kinds = new Map<string, number>();
  let answeredAt = Number.POSITIVE_INFINITY;
  let second = 0;
  let inSecond = 0;
  const server = createServer({keepAliveTimeout: 60_000}, async (request, response) => {
    response.setHeader('x-centavo-consistent', '1');
    response.setHeader('date', new Date(Date.now() + clock.ahead * 1000).toUTCString());
    const asked = await requestOf(request);
    const {path, headers, kind, isChange} = asked;
    if (state.cut) return void request.socket.destroy();
    state.requests++;
    const pause = performance.now() - answeredAt;
    if (pause >= PAUSE) state.pauses += pause;
    const {latency = 0, perSecond, before = 0, reset = 0, after = 0, late: never = 0, onChange} = state.faults;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const refuse = (status: number, code: string, more = {}, detail = 'Not now.'): void =>
      answerJson(response, status, {errors: [{code, detail}]}, more);
    if (perSecond !== undefined) {
      const now = Math.floor(Date.now() / 1000);
      inSecond = now === second ? inSecond + 1 : 1;
      second = now;
      if (inSecond > perSecond) {
        state.limited++;
        return refuse(429, 'rate_limited', {'retry-after': '1'});
      }
    }
    if (latency > 0) await sleep(latency);
    const isLive = headers.authorization === basic(LIVE_KEY);
    const apply = async () => {
      const own = isLive ? {...headers, authorization: basic(sandbox.keys.secret)} : headers;
      const answer = await sandbox.handle({...asked, headers: own});
      const sent = /^\/billing_statements\/(\w+)\/send$/.exec(path);
      if (sent && answer.status < 300) emails.set(sent[1]!, (emails.get(sent[1]!) ?? 0) + 1);
      const body = isLive ? String(answer.body).replaceAll('"livemode":false', '"livemode":true') : answer.body;
      return {...answer, body};
    };
    if (isChange) onChange?.(++changes, path);
    const refused =
      isChange && state.faults.refuses?.(`${request.method} ${path}`, String(Buffer.from(asked.body ?? '')));
    if (refused) return refuse(400, 'parameter_invalid', {}, refused);
    if (state.faults.losesSends && path.endsWith('/send')) {
      await apply();
      return void request.socket.resetAndDestroy();
    }
    let roll = isChange ? chance() : 1;
    if ((roll -= before) < 0) return refuse(503, 'service_unavailable');
    if ((roll -= reset) < 0) {
      await apply();
      return void request.socket.resetAndDestroy();
    }
    if ((roll -= after) < 0) {
      await apply();
      return refuse(500, 'internal_system_error');
    }
    if ((roll -= never) < 0) {
      late.push(sleep(chance() * 10_000).then(apply));
      return void request.socket.resetAndDestroy();
    }
    const answer = await apply();
    response.writeHead(answer.status, answer.headers);
    answeredAt = performance.now();
    return void response.end(answer.status === 204 ? undefined : answer.body);
  });
  const {url, close} = await listen(server);
  const key = sandbox.keys.secret;
  const client = createClient({key, transport: sandbox.handle});
  const statements = async (): Promise<BillingStatementData[]> => {
    const all: BillingStatementData[] = [];
    for await (const statement of client.billingStatements.list({limit: 100}))
      all.push(statement as BillingStatementData);
    return all;
  };
  const state = {
    ...{url, key, sandbox, faults, statements},
    env: {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: key},
    /** The same account with a live key; its responses are in live mode. */
    liveEnv: {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: LIVE_KEY},
    /** While true, connections are refused. */
    cut: false,
    clock,
    requests: 0,
    /** Requests by kind, without ids: `POST /billing_statements/:id/send`. */
    kinds: kinds as ReadonlyMap<string, number>,
    /** Total milliseconds of pauses of at least half a second after a response. */
    pauses: 0,
    limited: 0,
    /** Resolves when all late changes are applied. */
    settled: () => Promise.all(late),
    /** Number of emails of each statement, by id. */
    emails: () => emails as ReadonlyMap<string, number>,
    /** Deviations as text; empty if each of these was sent once with this amount. */
    wrong: async (amounts: ReadonlyMap<string, number>) => {
      const wrong: string[] = [];
      const made = new Map<string, number>();
      for (const statement of await statements()) {
        const {external_id: external} = statement.metadata as Record<string, string>;
        const amount = itemsOf(statement).reduce((sum, item) => sum + item.quantity * item.unit_price, 0);
        made.set(external!, (made.get(external!) ?? 0) + 1);
        if ((statement.metadata as Record<string, string>)[PLAN_KEY] === undefined)
          wrong.push(`${external} has no key`);
        if ((emails.get(statement.id) ?? 0) > 0 && amount !== amounts.get(external!))
          wrong.push(`${external} was sent with ${amount}`);
        if ((emails.get(statement.id) ?? 0) > 1) wrong.push(`${external} was sent ${emails.get(statement.id)} times`);
      }
      for (const external of amounts.keys()) if (!made.has(external)) wrong.push(`${external} is missing`);
      for (const [external, times] of made) if (times > 1) wrong.push(`${external} is there ${times} times`);
      return wrong;
    },
    close: async () => {
      await close();
      sandbox.close();
    },
  };
  return state;
}

const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

/** An import file of `count` statements of one or two items, and their amounts in centavos by external id. */
export function importFile(count: number, start = 1): {text: string; amounts: Map<string, number>} {
  const lines = ['External ID,Customer Email,Customer Name,Item,Quantity,Unit Price,Due'];
  const amounts = new Map<string, number>();
  const item = (quantity: number, price: number) => ({quantity, price});
  for (let n = start; n < start + count; n++) {
    const id = `JUNE-${String(n).padStart(4, '0')}`;
    const payers = Math.max(2, Math.ceil(count * 0.7));
    const who = `payer${n % payers}@example.com,Payer ${n % payers || payers}`;
    const items = n % 2 === 0 ? [item(2, 150_050 + n)] : [item(1, 99_900), item(3, 2_000 + n)];
    for (const [at, {quantity, price}] of items.entries())
      lines.push(`${id},${who},Item ${at + 1},${quantity},${(price / 100).toFixed(2)},2031-12-15`);
    const amount = items.reduce((sum, {quantity, price}) => sum + quantity * price, 0);
    amounts.set(id, amount);
  }
  return {text: `${lines.join('\n')}\n`, amounts};
}
