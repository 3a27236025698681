// Imports in real processes against a service that loses, delays and refuses, killed at random and cut off, continued until they are done.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {seededRandom} from '../../src/common/seeded-random.js';
import {importFile, importService} from '../support/services/import-service.js';
import {inTurn} from '../support/processes.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {SEED} from '../support/seed.js';

const TRIALS = Number(process.env.CENTAVO_TRIALS ?? 36);
const ROWS = 8;
/** Most of a trial is waiting. */
const AT_ONCE = 24;
const MOST_RUNS = 12;

async function trial(seed: number) {
  const chance = seededRandom(seed);
  const service = await importService({before: 0.05, reset: 0.05, after: 0.05, late: 0.03}, seed + 1);
  const directory = temporaryDirectory(afterAll);
  const file = join(directory, 'june.csv');
  const {text, amounts} = importFile(ROWS);
  writeFileSync(file, text);
  let [kills, cuts, runs] = [0, 0, 0];
  let args = ['billing-statements', 'import', file, '--send', '--yes'];
  let status: number | null = null;
  let stderr = '';
  while (runs < MOST_RUNS) {
    runs++;
    const child = spawn(process.execPath, [RUN, ...args], {env: cliEnvironment(directory, service.env)});
    stderr = '';
    child.stderr.on('data', (more) => (stderr += more));
    child.stdout.resume();
    const what = runs > 4 ? 1 : chance();
    const at = 1 + Math.floor(chance() * 50);
    let seen = 0;
    service.faults = {
      ...service.faults,
      onChange: () => {
        if (++seen !== at) return;
        if (what < 0.5) child.kill('SIGKILL');
        else if (what < 0.7) child.kill('SIGTERM');
        else if (what < 0.85) {
          cuts++;
          service.cut = true;
          // A short one is waited out; else it lasts until the process has ended.
          if (what < 0.78) setTimeout(() => (service.cut = false), 3000);
        }
      },
    };
    let signal: NodeJS.Signals | null;
    [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (signal !== null) kills++;
    service.cut = false;
    const job = readdirSync(join(directory, 'jobs')).find((name) => name.endsWith('.db'));
    args = job ? ['jobs', 'resume', job.slice(0, -3), '--yes'] : args;
    const isOver = status === 0 || (status === 11 && !/ (is|are) not done|To continue: /.test(stderr));
    if (isOver) break;
  }
  await service.settled();
  const wrong = await service.wrong(amounts);
  const named = Number(/(\d+) may have been sent/.exec(stderr)?.[1] ?? 0);
  if (status !== 0 && status !== 11) wrong.push(`ended with ${status}: ${stderr}`);
  if (/failed/.test(stderr)) wrong.push(stderr);
  if (service.emails().size + named < ROWS) wrong.push(`${service.emails().size} sent and ${named} named: ${stderr}`);
  await service.close();
  return {wrong, kills, cuts, runs, sent: service.emails().size, named};
}

test(`${TRIALS} imports in processes (CENTAVO_SEED=${SEED})`, {timeout: 900_000}, async () => {
  const turn = inTurn(AT_ONCE);
  const seeds = Array.from({length: TRIALS}, (_, number) => SEED + number * 7919);
  const all = await Promise.all(seeds.map((seed) => turn(() => trial(seed))));
  const sum = (of: (each: (typeof all)[number]) => number): number => all.reduce((total, each) => total + of(each), 0);
  console.log(
    `CENTAVO_SEED=${SEED}: ${TRIALS} imports of ${ROWS} in ${sum(({runs}) => runs)} processes, ${sum(({kills}) => kills)} killed, ` +
      `${sum(({cuts}) => cuts)} cut off: ${sum(({sent}) => sent)} sent, ${sum(({named}) => named)} named as in doubt`,
  );
  expect(all.flatMap(({wrong}, at) => wrong.map((what) => `${seeds[at]}: ${what}`))).toEqual([]);
});
