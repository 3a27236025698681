// Statements from real processes against a faulty service. The processes are killed and interrupted at each step, half of
// the runs have old reads, and every printed command is executed. Time is real.

import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test} from 'vitest';
import {differenceOf, itemsOf, type BillingStatementData} from '../../src/billing/statement/plan.js';
import type {Applied} from '../../src/common/errors.js';
import {seededRandom} from '../../src/common/seeded-random.js';
import {falseLater, falseNow, type Said} from '../support/claims.js';
import {failingServer, type Failure} from '../support/services/failing.js';
import {Merchant} from '../support/scenarios/merchant.js';
import {inTurn} from '../support/processes.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {SEED} from '../support/seed.js';

const RUNS = Number(process.env.CENTAVO_RUNS ?? 300);
/** Concurrent stories; most of each is waiting. */
const AT_ONCE = 40;

const ITEMS = [
  {description: 'Web design', quantity: 2, unit_price: 1_500_000},
  {description: 'Hosting', quantity: 1, unit_price: 125_050},
  {description: 'Hosting', quantity: 1, unit_price: 125_050},
];
const WHOLE =
  "--item 'Web design x2 @ 15,000' --item 'Hosting @ 1,250.50' --item 'Hosting @ 1,250.50' --due 2031-12-15 --send";
/** The draft, three items, the due date, the finalize, the send. */
const CHANGES = 7;

type Signal = 'SIGINT' | 'SIGKILL' | 'SIGTERM';
type Fault = 'answer lost' | 'limited' | 'refused' | {late: number} | {signal: Signal; when: 'after' | 'before'};

interface Plan {
  /** Faults by number of the change, from 1. */
  readonly faults: ReadonlyMap<number, Fault>;
  /** Numbers of the refused reads, from 1. */
  readonly reads: readonly number[];
  /** True if reads may be old, and the service does not claim consistency. */
  readonly isOld: boolean;
}

/** Maximum age of a read, in milliseconds. */
const OLDEST = 3000;

const FAULTS: readonly Fault[] = [
  'answer lost',
  'limited',
  'refused',
  ...[100, 1000, 2900, 5000, 10_000, 15_300, 16_000].map((late) => ({late})),
  ...(['SIGINT', 'SIGKILL', 'SIGTERM'] as const).flatMap((signal) =>
    (['after', 'before'] as const).map((when) => ({signal, when})),
  ),
];

const bin = temporaryDirectory(afterAll);
beforeAll(() => {
  // What is printed begins with `centavo`.
  writeFileSync(join(bin, 'centavo'), `#!/bin/sh\nexec "${process.execPath}" "${RUN}" "$@"\n`);
  chmodSync(join(bin, 'centavo'), 0o755);
});

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The plan in the text of a failure, to reproduce it. */
function planOf(text: string): Plan {
  const [faults, reads, isOld] = JSON.parse(text) as [[number, Fault][], number[], boolean];
  return {faults: new Map(faults), reads, isOld};
}

interface Story {
  readonly wrong: readonly string[];
  readonly processes: number;
  readonly sent: boolean;
  /** Number of faults, and of SIGKILLs among them. */
  readonly faults: number;
  readonly kills: number;
}

async function runStory({faults, reads, isOld}: Plan): Promise<Story> {
  const data = mkdtempSync(join(tmpdir(), 'centavo-run-'));
  const merchant = new Merchant(mkdtempSync(join(data, 'service-')));
  const customer = (await merchant.customer()).id as string;
  const age = seededRandom(SEED);
  let child: ChildProcess | undefined;
  const end = (signal: Signal) => async (): Promise<void> => {
    child!.kill(signal);
    if (child!.exitCode === null && child!.signalCode === null) await once(child!, 'exit');
  };
  const failures = [...faults].map(([at, fault]): [number, Failure] => [
    at,
    typeof fault !== 'object' || 'late' in fault
      ? fault
      : fault.when === 'after'
        ? {after: end(fault.signal)}
        : {before: end(fault.signal)},
  ]);
  const server = await failingServer(
    merchant,
    Object.fromEntries(failures),
    Object.fromEntries(reads.map((at) => [at, 'limited'])),
    isOld ? () => age() * OLDEST : undefined,
  );
  const env = {
    CENTAVO_BASE_URL: server.url,
    CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret,
    PATH: `${bin}:${process.env.PATH}`,
  };

  let processes = 0;
  async function run(line: string): Promise<Ended> {
    processes++;
    server.run++;
    child = spawn('sh', ['-c', `exec ${line}`], {env: cliEnvironment(data, env)});
    let stdout = '';
    let stderr = '';
    child.stdout!.on('data', (text) => (stdout += text));
    child.stderr!.on('data', (text) => (stderr += text));
    const [status] = (await once(child, 'close')) as [number | null];
    return {status, stdout, stderr};
  }

  const wrong: string[] = [];
  const later: (() => void)[] = [];
  const statements = async (): Promise<BillingStatementData[]> =>
    (await merchant.call('GET', '/billing_statements')).data;
  const sentTimes = (id: string): number =>
    server.made.filter(({path}) => path === `/billing_statements/${id}/send`).length;

  let recorded = 0;
  let line: string | undefined = `centavo bill --customer ${customer} ${WHOLE}`;
  for (let round = 0; line !== undefined && round < 6; round++) {
    const {status, stderr} = await run(line);
    const {run: number} = server;
    const ran = line;
    const creates = /centavo bill /.test(ran);
    const changes = creates || / (void|delete) /.test(ran);
    line = undefined;
    const {data: records} = JSON.parse((await run('centavo history --json')).stdout);
    const [record] = records;
    // What ends while the statement is looked up by its number has begun no change, and the record is that of an earlier run.
    const isOwn = records.length > recorded;
    recorded = records.length;
    const id = record?.ids.find((each: string) => each.startsWith('bstm_')) as string | undefined;
    // What only reads has no record of its own, and says nothing of a change.
    if (!changes) continue;
    if (status === null) {
      if (record.result !== 'unfinished') wrong.push(`the history has a killed run as ${record.result}: ${ran}`);
      if (id !== undefined) line = `centavo bill --continue ${id} ${WHOLE}`;
      continue;
    }
    if (status === 0) {
      if (creates && sentTimes(id!) !== 1) wrong.push(`called sent, and was sent ${sentTimes(id!)} times: ${stderr}`);
      continue;
    }
    const text = stderr.slice(stderr.indexOf('Error:'));
    if (text.trimEnd().split('\n').length > 3 || !stderr.includes('Error:'))
      wrong.push(`not an error of three lines: ${stderr}`);
    const said: Said = {text, applied: isOwn ? (record.applied as Applied) : 'no'};
    if (!isOwn && !text.includes('Nothing was changed.')) wrong.push(`not said that nothing was changed: ${text}`);
    const shown = (await statements()).find((each) => each.id === id);
    const made = () => server.made.filter((change) => change.run === number).map(({path}) => path);
    wrong.push(
      ...falseNow(said, {status: shown?.status, items: shown ? itemsOf(shown).length : 0, changed: made().length > 0}),
    );
    later.push(() => wrong.push(...falseLater(said, made())));
    line = /: (centavo .*)$/m.exec(text)?.[1];
  }
  await server.settled();
  for (const look of later) look();

  const sent = (await statements()).filter((each) => sentTimes(each.id) > 0);
  for (const statement of sent) {
    if (sentTimes(statement.id) > 1) wrong.push(`${statement.id} was sent ${sentTimes(statement.id)} times`);
    const {missing, surplus, foreign} = differenceOf(ITEMS, itemsOf(statement));
    if (missing.length + surplus.length + foreign.length > 0)
      wrong.push(`sent with ${JSON.stringify(itemsOf(statement))}`);
  }
  if (sent.length > 1) wrong.push(`${sent.length} statements were sent`);
  await server.close();
  merchant.close();
  rmSync(data, {recursive: true, force: true});
  const changes = server.changes.length;
  const met = [...faults].flatMap(([at, fault]) => (at <= changes ? [fault] : []));
  return {
    ...{wrong, processes, sent: sent.length > 0},
    faults: met.length + reads.filter((at) => at <= server.requests.length - changes).length,
    kills: met.filter((fault) => typeof fault === 'object' && 'signal' in fault && fault.signal === 'SIGKILL').length,
  };
}

test(
  `${RUNS} statements, each sent once with its items or not at all (CENTAVO_SEED=${SEED})`,
  {timeout: 1_800_000},
  async () => {
    const chance = seededRandom(SEED);
    const pick = <T>(choices: readonly T[]): T => choices[Math.floor(chance() * choices.length)]!;
    // Each fault at each change, and then several at once.
    const each = Array.from({length: CHANGES}, (_, at) => FAULTS.map((fault) => new Map([[at + 1, fault]]))).flat();
    const some = <T>(of: readonly T[], rate: number): T[] => of.filter(() => chance() < rate);
    const numbers = Array.from({length: 14}, (_, index) => index + 1);
    const several = Array.from({length: Math.max(0, RUNS - each.length)}, () => ({
      faults: new Map(some(numbers, 0.2).map((at) => [at, pick(FAULTS)])),
      reads: some(numbers, 0.1),
    }));
    const {CENTAVO_PLAN: one} = process.env;
    const plans: Plan[] = one
      ? [planOf(one)]
      : [...each.map((faults) => ({faults, reads: []})), ...several]
          .slice(0, RUNS)
          .map((plan, index) => ({...plan, isOld: index % 2 === 1}));
    const begun = Date.now();
    const turn = inTurn(AT_ONCE);
    const stories = await Promise.all(plans.map((plan) => turn(() => runStory(plan))));
    const wrong = stories.flatMap((story, index) =>
      story.wrong.map((what) => {
        const {faults, reads, isOld} = plans[index]!;
        return `CENTAVO_PLAN='${JSON.stringify([[...faults], reads, isOld])}': ${what}`;
      }),
    );
    const count = (of: (story: (typeof stories)[number]) => number): number =>
      stories.reduce((sum, story) => sum + of(story), 0);
    const times = wrong.filter((what) => /was sent \d+ times|statements were sent/.test(what)).length;
    const amounts = wrong.filter((what) => what.includes('sent with [')).length;
    console.log(
      `CENTAVO_SEED=${SEED}: ${plans.length} statements in ${count(({processes}) => processes)} processes, ` +
        `${count(({faults}) => faults)} faults, ${count(({kills}) => kills)} of them SIGKILL, ` +
        `${Math.round((Date.now() - begun) / 1000)} s: ` +
        `${count(({sent}) => Number(sent))} sent; with a wrong amount ${amounts}, a second time ${times}, ` +
        `false words ${wrong.length - amounts - times}.`,
    );
    expect(wrong).toEqual([]);
  },
);
