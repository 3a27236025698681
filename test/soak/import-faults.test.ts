// Two thousand imports of twenty statements under faults, in virtual time, on both cores: test/billing/import-faults.test.ts with more of it.

import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';

const SEED = Number(process.env.CENTAVO_SEED ?? Math.floor(Math.random() * 2 ** 31));
const TRIALS = Number(process.env.CENTAVO_TRIALS ?? 2000);
const PROCESSES = 2;
const root = fileURLToPath(new URL('../..', import.meta.url));

async function part(first: number, trials: number): Promise<{status: number | null; text: string}> {
  const words = [
    'node_modules/vitest/vitest.mjs',
    'run',
    'test/billing/import-faults.test.ts',
    '-t',
    'statements with faults',
  ];
  const env = {
    ...process.env,
    ...{CENTAVO_SEED: String(SEED), CENTAVO_FIRST: String(first), CENTAVO_TRIALS: String(trials), CENTAVO_ROWS: '20'},
  };
  const child = spawn(process.execPath, words, {cwd: root, env});
  let text = '';
  child.stdout.on('data', (more) => (text += more));
  child.stderr.on('data', (more) => (text += more));
  const [status] = (await once(child, 'close')) as [number | null];
  return {status, text};
}

test(`${TRIALS} imports of 20 statements with faults (CENTAVO_SEED=${SEED})`, {timeout: 1_800_000}, async () => {
  const each = Math.ceil(TRIALS / PROCESSES);
  const parts = await Promise.all(Array.from({length: PROCESSES}, (_, at) => part(at * each, each)));
  for (const {text} of parts) console.log(/^.*CENTAVO_SEED=.*wrong.*$/m.exec(text)?.[0] ?? text);
  expect(parts.map(({status}) => status)).toEqual(parts.map(() => 0));
});
