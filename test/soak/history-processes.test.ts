// Real processes on one history: at once, killed at any time, and on a full or read-only disk.

import {spawn, spawnSync, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {statSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {historyIn, recordsIn} from '../support/history/history.js';

const WRITER = fileURLToPath(new URL('../support/history/writer.mjs', import.meta.url));
const SEED = 20261221;

function writer(...words: string[]): ChildProcess & {readonly said: () => string} {
  const child = spawn(process.execPath, [WRITER, ...words], {stdio: ['pipe', 'pipe', 'inherit']});
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text));
  return Object.assign(child, {said: () => said});
}

/** Integers below a limit, in a fixed order. */
function randomBelow(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test('eight processes record 200 writes each, at once: every one is there, and in the order of its process', async () => {
  const history = historyIn(temporaryDirectory());
  const names = Array.from({length: 8}, (_, index) => `process ${index}`);
  const writers = names.map((name) => writer(history.path, 'count', name, '200'));
  await Promise.all(writers.map((child) => once(child.stdout!, 'data')));
  const began = performance.now();
  for (const child of writers) child.stdin!.write('g');
  const ends = await Promise.all(writers.map((child) => once(child, 'exit')));
  expect(ends.map(([status]) => status as number)).toEqual(names.map(() => 0));

  const records = recordsIn(history);
  console.info(`${records.length} writes in ${Math.round(performance.now() - began)} ms.`);
  expect(records).toHaveLength(8 * 200);
  expect(records.every(({result, amount, ids}) => result === 'ok' && ids.length === amount! % 50)).toBe(true);
  const orders = names.map((name) => records.filter(({command}) => command.startsWith(`${name} `)));
  for (const own of orders) expect(own.map(({amount}) => amount)).toEqual(Array.from({length: 200}, (_, n) => n));
  const changes = records.filter(({command}, index) => command.slice(0, 9) !== records[index - 1]?.command.slice(0, 9));
  expect(changes.length, 'they took turns').toBeGreaterThan(8);
});

test(`killed at random: whatever had begun is in the file (seed ${SEED})`, {timeout: 120_000}, async () => {
  const KILLS = 40;
  const history = historyIn(temporaryDirectory());
  const random = randomBelow(SEED);
  const begun: string[] = [];
  // A second one goes on meanwhile, a write for each of the victim's, and twenty after it: what a killed one leaves behind is in its way.
  const other = writer(history.path, 'turns', 'other');
  for (let kill = 0; kill < KILLS; kill++) {
    const child = writer(history.path, 'endless', `victim ${kill}`);
    const last = 1 + random(30);
    child.stdout!.on('data', () => {
      other.stdin!.write('g');
      if (child.said().split('\n').length > last) child.kill('SIGKILL');
    });
    const [, signal] = (await once(child, 'close')) as [null, string];
    expect(signal).toBe('SIGKILL');
    other.stdin!.write('g'.repeat(20));
    const before = numbersOf(other.said()).length;
    while (numbersOf(other.said()).length < before + 20) await once(other.stdout!, 'data');
    begun.push(...numbersOf(child.said()).map((number) => `victim ${kill} ${number}`));
  }
  other.kill('SIGKILL');
  await once(other, 'close');
  const others = numbersOf(other.said()).map((number) => `other ${number}`);

  const records = recordsIn(history);
  const recorded = new Map(records.map((record) => [record.command, record]));
  expect([...begun, ...others].filter((command) => !recorded.has(command))).toEqual([]);
  for (const {amount, ids} of records) expect(ids).toHaveLength(amount! % 7 === 0 ? 2000 : 3);
  const unsaid = records.length - begun.length - others.length;
  expect(unsaid, 'only the last of each may have been recorded and not said').toBeLessThanOrEqual(KILLS + 1);
  console.info(
    `${KILLS + 1} kills: ${begun.length + others.length} beginnings said, 0 lost; ${unsaid} more recorded, ${statSync(history.path).size} bytes.`,
  );
});

const numbersOf = (said: string): number[] => said.trimEnd().split('\n').map(Number);

interface Filling {
  readonly recorded: number;
  readonly ended: boolean;
  readonly error: {readonly message: string; readonly code: string; readonly exitCode: number; readonly why: string};
  readonly again: boolean | null;
  readonly records: [command: string, amount: number, ids: number, result: string][];
}

function filling(command: string, words: readonly string[]): Filling {
  const {status, stdout, stderr} = spawnSync(command, words, {encoding: 'utf8'});
  expect(status, stderr).toBe(0);
  return JSON.parse(stdout) as Filling;
}

const commandsOf = ({recorded}: Filling): string[] => Array.from({length: recorded}, (_, number) => `fill ${number}`);

describe('a file that may not grow', () => {
  test('refuses the beginning, and keeps what it has', () => {
    const history = historyIn(temporaryDirectory());
    const confinement = `trap '' XFSZ; ulimit -f 128; exec "$0" "$@"`;
    const told = filling('sh', ['-c', confinement, process.execPath, WRITER, history.path, 'fill', 'fill']);
    expect(told.recorded).toBeGreaterThan(20);
    expect(told.error).toEqual({
      message: `nothing was sent: the change could not be recorded in ${history.path}.`,
      code: 'not_recorded',
      exitCode: 15,
      why: 'The disk reported an error.',
    });

    // A smaller one may still fit.
    const kept = [...commandsOf(told), ...(told.again ? ['fill 1000000'] : [])];
    expect(recordsIn(history).map(({command}) => command)).toEqual(kept);
    history.begin({profile: 'shop', mode: 'live', command: 'afterwards', ids: []});
    expect(recordsIn(history).map(({command}) => command)).toEqual([...kept, 'afterwards']);
  });
});

/** A disk of its own for one process; no one else sees it, and it goes with the process. */
const ON_A_DISK = `mount -t tmpfs -o size=256k,mode=700 tmpfs "$1" && shift && eval "$1" && shift && exec "$@"`;
const onADisk = (directory: string, preparation: string, ...words: string[]): [string, string[]] => [
  'unshare',
  ['--map-root-user', '--mount', 'sh', '-c', ON_A_DISK, 'sh', directory, preparation, process.execPath, ...words],
];
const trial = spawnSync(...onADisk('/mnt', 'true', '--version'), {encoding: 'utf8'});
const noDisk = trial.status === 0 ? undefined : (trial.error?.message ?? trial.stderr.trim());
if (noDisk) console.warn(`Skipped, for want of leave to mount a disk: ${noDisk}`);

describe.skipIf(noDisk)('a disk of 256 KiB', () => {
  test('that is full refuses the beginning, and takes the next one when there is room', () => {
    const directory = temporaryDirectory();
    const [path, filler] = [join(directory, 'history.db'), join(directory, 'filler')];
    const preparation = `head -c 20000 /dev/zero > ${filler}`;
    const told = filling(...onADisk(directory, preparation, WRITER, path, 'fill', 'fill', filler));
    expect(told.recorded).toBeGreaterThan(50);
    expect(told.error).toMatchObject({code: 'not_recorded', exitCode: 15, why: 'The disk is full.'});
    expect(told.again).toBe(true);
    expect(told.records.map(([command]) => command)).toEqual([...commandsOf(told), 'fill 1000000']);
    expect(told.records.slice(0, -1).every(([, , ids]) => ids === 20)).toBe(true);
    expect(told.records.at(-1)).toEqual(['fill 1000000', 1_000_000, 1, 'ok']);
    console.info(`${told.recorded} beginnings fitted.`);
  });

  test('that may only be read refuses the first one', () => {
    const directory = temporaryDirectory();
    const path = join(directory, 'history.db');
    const told = filling(...onADisk(directory, `mount -o remount,ro ${directory}`, WRITER, path, 'fill', 'fill'));
    expect(told).toMatchObject({recorded: 0, error: {why: 'The disk is read-only.'}, again: null, records: []});
  });
});
