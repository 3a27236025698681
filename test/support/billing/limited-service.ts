// A rate-limited service in virtual time, and an import against it.

import {rmSync} from 'node:fs';
import {join} from 'node:path';
import type {ApiRequest, ApiResponse} from '../../../src/api/wire.js';
import {findJobCustomers} from '../../../src/billing/import/existing-customers.js';
import {JobFile} from '../../../src/billing/import/job/job-file.js';
import {readRowsIntoJob} from '../../../src/billing/import/read-rows.js';
import {EMBEDDED_TIMING} from '../../../src/billing/statement/workflow/service-timing.js';
import {runJob} from '../../../src/billing/import/run-job.js';
import {RowWorkers} from '../../../src/billing/import/row-workers.js';
import {explainStop} from '../../../src/billing/statement/cli/explain-stop.js';
import {createClient} from '../../../src/client/client.js';
import {createSandbox} from '../../../src/sandbox/sandbox.js';
import {seededRandom} from '../../../src/common/random.js';
import {memory, someBills} from '../simulation/import-stage.js';
import {sheetOf} from '../simulation/imports.js';

/** Milliseconds of an answer. */
const LATENCY = 100;
const START = 1_800_000_000_000;

export interface Limits {
  /** Allowed requests per second, by seconds since the start. */
  readonly perSecond: (at: number) => number;
  /** True if a 429 answer says how long to wait. */
  readonly says: boolean;
  readonly rows: number;
  readonly concurrency: number;
}

/** The time of each request, in milliseconds from the start of the run, and whether it was refused. */
interface Arrival {
  readonly at: number;
  readonly refused: boolean;
}

export async function importLimited({perSecond, says, rows, concurrency}: Limits) {
  let now = START;
  let timers: {at: number; ring: () => void}[] = [];
  const sleep = (milliseconds: number): Promise<void> =>
    new Promise((ring) => timers.push({at: now + Math.max(0, milliseconds), ring}));
  const sandbox = createSandbox({now: () => Math.floor(now / 1000)});
  const arrivals: Arrival[] = [];
  const inSecond = new Map<number, number>();

  const transport = async (request: ApiRequest): Promise<ApiResponse> => {
    const at = now - START;
    const second = Math.floor(at / 1000);
    const count = (inSecond.get(second) ?? 0) + 1;
    inSecond.set(second, count);
    const refused = count > perSecond(at / 1000);
    arrivals.push({at, refused});
    await sleep(refused ? LATENCY / 5 : LATENCY);
    if (!refused) return sandbox.handle(request);
    const headers = {'content-type': 'application/json', ...(says && {'retry-after': '1'})};
    return {status: 429, headers, body: Buffer.from('{"errors":[{"code":"rate_limited","detail":"Slow down."}]}')};
  };

  async function drive<T>(work: Promise<T>): Promise<T> {
    let settled = false;
    const done = work.finally(() => (settled = true));
    for (let idle = 0; idle < 1000 && !settled; idle++) {
      for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      const [next] = timers.sort((one, other) => one.at - other.at);
      if (settled || !next) continue;
      idle = 0;
      now = next.at;
      timers = timers.slice(1);
      next.ring();
    }
    return done;
  }

  const facts = {id: 'job_test', source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'} as const;
  const folder = memory();
  const job = JobFile.create(join(folder, 'job.db'), {
    ...facts,
    finalize: true,
    send: true,
    created_at: START / 1000,
    result_file: null,
  });
  await readRowsIntoJob(sheetOf(someBills(rows)), job, {finalize: true, now: START / 1000, onFault: () => {}});
  const client = createClient({
    ...{key: sandbox.keys.secret, transport, sleep},
    ...{now: () => now, random: seededRandom(11), timeout: 30_000},
  });
  const around = {
    concurrency,
    now: () => Math.floor(now / 1000),
    nowMilliseconds: () => now,
    sleep: (milliseconds: number) => sleep(milliseconds),
  };
  await drive(findJobCustomers(job, new RowWorkers({client, ...around}), {}, () => {}));
  job.claim({pid: 1, startedAt: 1}, () => false);
  const end = await drive(
    runJob({
      ...{client, job, allowDuplicate: false, ...around, timing: () => EMBEDDED_TIMING, timeout: 30_000},
      onProgress: () => {},
      explain: ({stop, state}, plan) => explainStop(stop, state, plan, ''),
      // No other import runs.
      explainLoss: () => ({code: 'made_elsewhere', message: ''}),
      sends: {recordIntent: () => {}, recordEnd: () => {}, earlierSend: () => undefined},
    }),
  );
  const {data} = sandbox.perform((work) => work.store.list('event', {limit: 100_000}));
  const sent = (data as any[]).filter(({type}) => type === 'billing_statement.sent');
  const result = {
    error: end.error,
    tally: job.tally,
    sent: sent.map(({data: {id}}) => id as string),
    arrivals,
    seconds: (now - START) / 1000,
  };
  job.close();
  sandbox.close();
  rmSync(folder, {recursive: true});
  return result;
}
