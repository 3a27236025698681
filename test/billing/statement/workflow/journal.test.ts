// The journal of runs on a real disk: its events, who may continue a run, and write failures.

import {spawn, spawnSync} from 'node:child_process';
import {existsSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {describe, expect, onTestFinished, test} from 'vitest';
import type {RunEvent} from '../../../../src/billing/statement/workflow/run-events.js';
import {
  beginRun,
  dryRunJournal,
  sendsInRuns,
  type JournalOptions,
  type DraftIds,
} from '../../../../src/billing/statement/workflow/journal.js';
import {livenessCheck} from '../../../../src/processes/process-identity.js';
import {openDatabase} from '../../../../src/storage/sqlite.js';
import {temporaryDirectory} from '../../../support/cli.js';

const DAY = 86_400;
const MADE: RunEvent[] = [
  {type: 'intended', call: 'draft', at: 1},
  {type: 'answered', at: 2, id: 'bstm_1'},
];
const ITEM: RunEvent = {type: 'intended', call: 'item', at: 3};

/** A computer with one file for its runs. Run and plan keys are `name1`, `name2`, in order of use. */
function computer() {
  const path = join(temporaryDirectory(), 'runs.db');
  let names = 0;
  const alive = new Set<number>();
  const around = {path, prunes: true, token: () => `name${++names}`, isAlive: (pid: number) => alive.has(pid)};
  return {
    path,
    alive,
    rehearse: (named: DraftIds) => dryRunJournal(around, named),
    begin: (
      named: DraftIds,
      {pid = 1, day = 0, ...more}: {pid?: number; day?: number} & Partial<JournalOptions> = {},
    ) => {
      alive.add(pid);
      return beginRun({...around, owner: {pid, startedAt: 5}, now: () => 1_800_000_000 + day * DAY, ...more}, named);
    },
    /** The file as a killed process leaves it. */
    kill: (pid: number) => void alive.delete(pid),
  };
}

const errorOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('the events on disk', () => {
  test('include an intended call and everything before it', () => {
    const {begin, kill} = computer();
    const first = begin({});
    for (const event of [...MADE, ITEM]) first.record(event);
    kill(1);
    expect(begin({id: 'bstm_1'}, {pid: 2}).events).toEqual([...MADE, ITEM]);
  });

  test('include an outcome only with the next call', () => {
    const {begin, kill} = computer();
    const first = begin({key: 'plan'});
    for (const event of MADE) first.record(event);
    kill(1);
    expect(begin({key: 'plan'}, {pid: 2}).events).toEqual(MADE.slice(0, 1));
  });

  test('include everything at the end', () => {
    const {begin} = computer();
    const first = begin({});
    for (const event of MADE) first.record(event);
    first.close();
    expect(begin({id: 'bstm_1'}).events).toEqual(MADE);
  });

  test('keep their order across processes', () => {
    const {begin} = computer();
    const events: RunEvent[] = Array.from({length: 24}, (_, at) => ({type: 'intended', call: 'change', at}));
    for (const from of [0, 8, 16]) {
      const run = begin({key: 'plan'});
      for (const event of events.slice(from, from + 8)) run.record(event);
      run.close();
    }
    expect(begin({key: 'plan'}).events).toEqual(events);
  });
});

describe('continuing a run', () => {
  test('of a file from before it had a version are read, and the file is completed', () => {
    const {begin, path} = computer();
    const first = begin({});
    for (const event of MADE) first.record(event);
    first.close();
    const database = openDatabase(path);
    database.exec('DROP TABLE sent; PRAGMA user_version = 0');
    database.close();
    const again = begin({id: 'bstm_1'});
    expect(again.events).toEqual(MADE);
    again.close();
    expect(sendsInRuns(path)).toEqual([]);
  });

  test('finds a run by the statement it created, changed or was given', () => {
    const {begin} = computer();
    const made = begin({});
    made.record({type: 'intended', call: 'remove', at: 0, id: 'bstm_li_1'});
    made.record({type: 'answered', at: 0});
    for (const event of MADE) made.record(event);
    made.close();
    begin({id: 'bstm_2'}).close();
    expect(begin({id: 'bstm_1'})).toMatchObject({run: made.run, key: made.key});
    expect(begin({id: 'bstm_2'}).events).toEqual([]);
    expect(begin({id: 'bstm_2'}).run).toBe('name3');
    expect(begin({id: 'bstm_li_1'}).run).not.toBe(made.run);
  });

  test('finds a run by its plan key, and keeps its keys', () => {
    const {begin} = computer();
    const first = begin({key: 'plan'});
    first.close();
    expect(begin({key: 'plan'})).toMatchObject({run: first.run, key: 'plan'});
    expect(begin({key: 'other'}).run).not.toBe(first.run);
    expect(begin({}).run).not.toBe(first.run);
  });

  test('keeps the first statement of a run', () => {
    const {begin} = computer();
    const run = begin({id: 'bstm_1'});
    run.record({type: 'found', n: 0, at: 1, id: 'bstm_2'});
    run.close();
    expect(begin({id: 'bstm_1'}).run).toBe(run.run);
  });

  test('finds the latest of several runs of a plan', () => {
    const {begin} = computer();
    begin({id: 'bstm_1'}, {day: 0}).close();
    const latest = begin({key: 'plan'}, {day: 1});
    latest.close();
    expect(begin({id: 'bstm_1', key: 'plan'}, {day: 2}).run).toBe(latest.run);
  });

  test('starts a new run after a takeover', () => {
    const {begin} = computer();
    const taken = begin({key: 'plan'});
    for (const event of MADE) taken.record(event);
    taken.disown();
    taken.close();
    for (const named of [{id: 'bstm_1'}, {key: 'plan'}]) expect(begin(named)).toMatchObject({events: []});
  });

  test('deletes a run and its events after ninety days', () => {
    const {begin, path} = computer();
    begin({id: 'bstm_9'}, {day: 0}).close();
    const run = begin({id: 'bstm_1'}, {day: 0});
    run.record(ITEM);
    run.close();
    begin({id: 'bstm_1'}, {day: 89}).close();
    expect(begin({id: 'bstm_1'}, {day: 178}).run).toBe(run.run);
    expect(begin({id: 'bstm_9'}, {day: 178}).run).not.toBe('name1');
    begin({}, {day: 269}).close();
    expect(dryRunJournal({path, token: () => 'new'}, {id: 'bstm_1'})).toMatchObject({run: 'new', events: []});
    expect(begin({}, {day: 270, token: () => run.run}).events).toEqual([]);
  });
});

describe('two processes', () => {
  test('cannot work on one run', () => {
    const {begin} = computer();
    const first = begin({id: 'bstm_1'}, {pid: 1});
    expect(errorOf(() => begin({id: 'bstm_1'}, {pid: 2}))).toMatchObject({
      kind: 'refused',
      code: 'run_busy',
      message: 'another centavo is working on bstm_1 (process 1).',
      details: {applied: 'no'},
    });
    begin({id: 'bstm_2'}, {pid: 2}).close();
    first.close();
    expect(begin({id: 'bstm_1'}, {pid: 2}).run).toBe(first.run);
  });

  test('can continue after a kill, one at a time', () => {
    const {begin, kill} = computer();
    begin({id: 'bstm_1'}, {pid: 1});
    kill(1);
    expect(errorOf(() => begin({id: 'bstm_1'}, {pid: 2}))).toBeUndefined();
    expect(errorOf(() => begin({id: 'bstm_1'}, {pid: 3}))).toMatchObject({
      message: 'another centavo is working on bstm_1 (process 2).',
    });
  });

  test('may reopen their own run', () => {
    const {begin} = computer();
    const first = begin({id: 'bstm_1'}, {pid: 1});
    expect(begin({id: 'bstm_1'}, {pid: 1}).run).toBe(first.run);
  });

  test('the second is refused until the first is killed, and then reads its intent', async () => {
    const {path} = computer();
    const built = (path: string) =>
      JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../../../dist', path)).href);
    const code = `
      const {beginRun} = await import(${built('billing/statement/workflow/journal.js')});
      const {processIdentityOf} = await import(${built('processes/process-identity.js')});
      const owner = processIdentityOf(process.pid, Date.now() - performance.now());
      const run = beginRun({path: ${JSON.stringify(path)}, owner, isAlive: () => true, now: () => 1, prunes: true, token: () => 'first'}, {key: 'plan'});
      for (const event of ${JSON.stringify(MADE)}) run.record(event);
      console.log('began');
      setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void other.kill('SIGKILL'));
    await new Promise((resolve) => other.stdout.once('data', resolve));
    const begin = () =>
      beginRun(
        {
          path,
          owner: {pid: process.pid, startedAt: 1},
          isAlive: livenessCheck((pid, signal) => process.kill(pid, signal)),
          now: () => 2,
          prunes: true,
          token: () => 'second',
        },
        {key: 'plan'},
      );
    expect(errorOf(begin)).toMatchObject({
      code: 'run_busy',
      message: `another centavo is working on this statement (process ${other.pid}).`,
    });
    const ended = new Promise((resolve) => other.once('close', resolve));
    other.kill('SIGKILL');
    await ended;
    expect(begin()).toMatchObject({run: 'first', events: MADE.slice(0, 1)});
  });
});

describe('a dry run', () => {
  test('reads the events of a run, and writes nothing', () => {
    const {begin, rehearse, path} = computer();
    const run = begin({id: 'bstm_1'}, {pid: 1});
    run.record(ITEM);
    const before = readFileSync(path);
    // This works while a process works on it, too.
    const dry = rehearse({id: 'bstm_1'});
    expect(dry).toMatchObject({run: run.run, key: run.key, events: [ITEM]});
    dry.record(ITEM);
    dry.disown();
    dry.close();
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('creates no file', () => {
    const {rehearse, path} = computer();
    const dry = rehearse({id: 'bstm_1'});
    dry.record(ITEM);
    dry.close();
    expect(dry).toMatchObject({run: 'name1', key: 'name2', events: []});
    expect(readdirSync(join(path, '..'))).toEqual([]);
  });
});

describe('an unusable file', () => {
  test('starts no run if it is damaged, and names the file to move away', () => {
    const {begin, path} = computer();
    writeFileSync(path, 'not a database, but long enough to be taken for one at first sight. '.repeat(40));
    expect(errorOf(() => begin({}))).toMatchObject({
      kind: 'local_io',
      message: expect.stringContaining(path) as string,
      details: {applied: 'no', hint: expect.stringMatching(/^Move the file away\. .* a minute longer\.$/) as string},
    });
  });

  test('starts no call if it gets damaged during a run', () => {
    const {begin, path} = computer();
    const run = begin({});
    run.record(ITEM);
    writeFileSync(path, 'x'.repeat(40_000));
    expect(errorOf(() => run.record(ITEM))).toMatchObject({kind: 'local_io', details: {applied: 'no'}});
    expect(errorOf(() => run.close())).toBeUndefined();
  });

  /** A small private disk for one script; it ends with the script. */
  const onADisk = (directory: string, code: string): [string, string[]] => [
    'unshare',
    [
      ...['--map-root-user', '--mount', 'sh', '-c'],
      'mount -t tmpfs -o size=256k,mode=700 tmpfs "$1" && exec "$2" --input-type=module --eval "$3"',
      ...['sh', directory, process.execPath, code],
    ],
  ];
  const trial = spawnSync(...onADisk('/mnt', ''), {encoding: 'utf8'});
  const noDisk = trial.status === 0 ? undefined : (trial.error?.message ?? trial.stderr.trim());
  if (noDisk) console.warn(`Skipped, for want of leave to mount a disk: ${noDisk}`);

  test.skipIf(noDisk)('starts no call on a full disk, and does not record it later', () => {
    const directory = temporaryDirectory();
    const built = pathToFileURL(
      join(import.meta.dirname, '../../../../dist/billing/statement/workflow/journal.js'),
    ).href;
    const onDisk = onADisk(
      directory,
      `
      import {rmSync, writeFileSync} from 'node:fs';
      const {beginRun} = await import(${JSON.stringify(built)});
      const path = ${JSON.stringify(join(directory, 'runs.db'))};
      const options = {path, owner: {pid: 1, startedAt: 1}, isAlive: () => false, now: () => 1, token: () => 'name'};
      const intend = (call) => ({type: 'intended', call, at: 1, item: {description: 'x'.repeat(9000), quantity: 1, unit_price: 1}});
      const run = beginRun(options, {key: 'plan'});
      run.record(intend('draft'));
      run.record({type: 'answered', at: 1, id: 'bstm_1'});
      try { writeFileSync(path + '.filler', Buffer.alloc(600_000)); } catch {}
      try { run.record(intend('item')); } catch ({kind, message, details: {why, applied}}) { console.log(kind, applied, why); }
      rmSync(path + '.filler');
      run.record(intend('due'));
      run.close();
      console.log(beginRun(options, {id: 'bstm_1'}).events.map(({type, call = ''}) => type + call).join(' '));`,
    );
    const {stdout, stderr} = spawnSync(...onDisk, {encoding: 'utf8'});
    expect(stderr).toBe('');
    expect(stdout).toBe('local_io no The disk is full.\nintendeddraft answered intendeddue\n');
    expect(existsSync(join(directory, 'runs.db'))).toBe(false);
  });
});
