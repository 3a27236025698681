// Imports that release 0.6.0 began, from the job files that it wrote itself, are finished: each row is billed and emailed once, or left with the words that say why.

import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {describe, expect, test} from 'vitest';
import {EXTERNAL_ID} from '../../../src/billing/import/read-statements.js';
import {openDatabase} from '../../../src/storage/sqlite.js';
import {temporaryDirectory, type CliResult} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {importing, jobsIn} from '../../support/scenarios/imports.js';
import {leftBehind} from '../../support/scenarios/left-behind.js';
import {loaded} from '../../support/terminal.js';
import {some} from '../../support/tiers.js';

const JOBS = join(import.meta.dirname, '../../fixtures/0.6.0/jobs');
const DAY = 86_400;
/** What june.csv bills, in centavos. */
const AMOUNTS = {'JUNE-0001': 3_050_000, 'JUNE-0002': 600_000, 'JUNE-0003': 1_500_000, 'JUNE-0004': 475_050};
const ROWS = Object.keys(AMOUNTS);

interface Left {
  /** In the list of jobs. */
  readonly state: 'abandoned' | 'ended' | 'ready' | 'stopped';
  /** How the statements end where it is not that they are open and emailed once. */
  readonly as?: 'draft' | 'open';
  /** Rows that may have been sent: never emailed again. */
  readonly unclear?: readonly string[];
}

const LEFT: Readonly<Record<string, Left>> = {
  'customer-not-arrived': {state: 'stopped'},
  'customer-unanswered': {state: 'stopped'},
  'draft-not-arrived': {state: 'stopped'},
  'draft-unanswered': {state: 'stopped'},
  items: {state: 'stopped'},
  'item-unanswered': {state: 'stopped'},
  'item-stopped': {state: 'stopped'},
  'drafts-only': {state: 'stopped', as: 'draft'},
  drafts: {state: 'stopped'},
  'finalize-not-arrived': {state: 'stopped', as: 'open'},
  'finalize-unanswered': {state: 'stopped'},
  opened: {state: 'stopped'},
  'send-not-arrived': {state: 'stopped', unclear: ['JUNE-0001']},
  'sends-not-arrived': {state: 'stopped', unclear: ROWS},
  'send-unanswered': {state: 'stopped', unclear: ['JUNE-0003', 'JUNE-0004']},
  'send-lost': {state: 'ended', unclear: ['JUNE-0002']},
  abandoned: {state: 'abandoned'},
  kept: {state: 'ended'},
};

/** Copies what 0.6.0 left of a job, and of what it did. @returns the id of the job */
function copyJob(name: string, directory: string, anew = (text: string): string => text): string {
  const folder = join(JOBS, name);
  mkdirSync(join(directory, 'jobs'), {mode: 0o700});
  for (const file of readdirSync(folder).filter((each) => each.endsWith('.gz')))
    writeFileSync(join(directory, 'jobs', file.slice(0, -3)), gunzipSync(readFileSync(join(folder, file))), {
      mode: 0o600,
    });
  const history = join(folder, 'history.jsonl');
  if (existsSync(history)) writeFileSync(join(directory, 'history.jsonl'), anew(readFileSync(history, 'utf8')));
  const [id] = jobsIn(directory);
  const database = openDatabase(join(directory, 'jobs', `${id}.db`));
  // The process that wrote it is gone, and its folder is another.
  database.prepare('UPDATE job SET pid = 99999999 WHERE pid IS NOT NULL').run();
  database.prepare('UPDATE job SET result_file = ?').run(join(directory, 'june-result.csv'));
  database.close();
  return id!;
}

/** When 0.6.0 wrote its last word, in unix seconds. */
function endOf(name: string): number {
  const lines = ['history.jsonl', 'requests.jsonl']
    .map((file) => join(JOBS, name, file))
    .flatMap((path) => (existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : []));
  return Math.max(...lines.map((line) => (JSON.parse(line) as {at: number}).at));
}

/** A machine with a job of 0.6.0, so many seconds after its last word, and the account that it worked with. */
async function machine(name: string, later: number, {isLate = false} = {}) {
  const left = await leftBehind(join(JOBS, name), {at: endOf(name), later, isLate});
  const {directory, merchant, renamed, env, anew, now, statements, emails, server} = left;
  const job = copyJob(name, directory, anew);
  const database = openDatabase(join(directory, 'jobs', `${job}.db`));
  database.prepare('UPDATE job SET account = ?').run(`${server.url} test`);
  for (const [old, own] of renamed)
    for (const table of ['row', 'customer']) database.prepare(`UPDATE ${table} SET id = ? WHERE id = ?`).run(own, old);
  database.close();
  cpSync(join(JOBS, 'june.csv'), join(directory, 'june.csv'));

  const rowOf = (statement: Record<string, any>): string | undefined => statement.metadata?.[EXTERNAL_ID];
  const billed = async (): Promise<Record<string, any>[]> =>
    (await statements()).filter((each) => rowOf(each)).sort((one, other) => (rowOf(one)! < rowOf(other)! ? -1 : 1));
  const before = new Map((await billed()).map((each) => [rowOf(each)!, each.id as string]));
  return {
    ...{directory, env, job, server},
    run: commandsIn(directory, {env, pace: 0.001, now}),
    file: join(directory, 'june.csv'),
    /** How often each row was emailed. */
    emails: async (): Promise<Record<string, number>> => {
      const sent = emails();
      const times = (id: string): number => sent.filter((each) => each === id).length;
      return Object.fromEntries((await billed()).map((each) => [rowOf(each)!, times(each.id as string)]));
    },
    /** Every row is billed once, with what was made of it by then, and nobody is a customer twice. */
    expectBilled: async (as: 'draft' | 'open') => {
      const all = await billed();
      expect(all.map((each) => [rowOf(each), each.status, each.amount])).toEqual(
        Object.entries(AMOUNTS).map(([row, amount]) => [row, as, amount]),
      );
      for (const [row, id] of before) expect(all.find((each) => rowOf(each) === row)!.id).toBe(id);
      const {data: customers} = await merchant.call('GET', '/customers?limit=100');
      const addresses = (customers as {email: string}[]).map(({email}) => email).sort();
      expect(addresses).toEqual(['ana@example.com', 'ben@example.com', 'lia@example.com', 'nino@example.com']);
    },
  };
}

/** What {@link machine} has after its job was resumed, or its file imported again. */
async function expectFinished(
  {run, job, emails, expectBilled, server}: Awaited<ReturnType<typeof machine>>,
  {as, unclear = []}: Left,
  ended: CliResult,
): Promise<void> {
  expect(ended, ended.stderr).toMatchObject({status: unclear.length > 0 ? 11 : 0});
  await expectBilled(as ?? 'open');
  const clear = ROWS.filter((row) => !unclear.includes(row));
  const emailed = await emails();
  expect(clear.map((row) => [row, emailed[row]])).toEqual(clear.map((row) => [row, as === undefined ? 1 : 0]));
  const {rows} = (await run(['jobs', 'get', job, '--json'])).json<{rows: Record<string, string>[]}>();
  const unknown = rows.filter((row) => row.sent === 'unknown');
  expect(unknown.map((row) => row.external_id)).toEqual(unclear);
  const resent = unknown.filter(({id}) => server.made.some(({path}) => path === `/billing_statements/${id}/send`));
  expect(resent).toEqual([]);
  if (unclear.length > 0) {
    expect(ended.stderr).toContain(`${unclear.length} may have been sent`);
    expect(ended.stderr).toContain(`To decide about each: centavo jobs resume ${job} --resend-unknown`);
    const {code, hint} = (await run(['jobs', 'resume', '--json'])).error();
    expect([code, hint]).toEqual([
      'no_job',
      `To decide about each that may have been sent: centavo jobs resume ${job} --resend-unknown`,
    ]);
  }
  // And once more: nothing is left to do.
  const before = server.made.length;
  await run(['jobs', 'resume', job, '--yes']);
  expect(server.made).toHaveLength(before);
}

describe.each([
  ['two seconds', 2, Object.entries(LEFT)],
  ['a day', DAY, some(Object.entries(LEFT), 6)],
])('%s after 0.6.0 ended', (_, later, jobs) => {
  test.each(jobs)('%s: jobs resume bills and emails each row once', async (name, left) => {
    const stage = await machine(name, later);
    const {run, job} = stage;
    expect((await run(['jobs', 'list', '--json'])).json()).toMatchObject([
      {id: job, source: 'june.csv', state: left.state, statements: 4, amount: 5_625_050},
    ]);
    const shown = (await run(['jobs', 'get', job, '--json'])).json<{rows: Record<string, unknown>[]}>();
    expect(shown.rows.map((row) => [row.external_id, row.amount])).toEqual(Object.entries(AMOUNTS));
    const ended = await run(['jobs', 'resume', job, '--yes']);
    await expectFinished(stage, left, ended);
  });
});

test.each(['customer-unanswered', 'draft-unanswered', 'item-unanswered', 'finalize-unanswered', 'send-unanswered'])(
  '%s, and applied late: it counts once',
  async (name) => {
    const stage = await machine(name, 2, {isLate: true});
    const ended = await stage.run(['jobs', 'resume', stage.job, '--yes']);
    await expectFinished(stage, LEFT[name]!, ended);
  },
);

test('ready: what was never confirmed is not begun, and the file is imported again', async () => {
  const stage = await machine('ready', DAY / 2);
  const {run, job, file, server} = stage;
  expect((await run(['jobs', 'list', '--json'])).json()).toMatchObject([{id: job, state: 'ready', done: 0}]);
  const refused = await run(['jobs', 'resume', job, '--yes', '--json']);
  expect(refused).toMatchObject({status: 12, stdout: ''});
  expect(refused.error()).toMatchObject({
    code: 'job_not_begun',
    message: expect.stringContaining(`${job} was never begun.`),
    hint: 'Import it again: centavo billing-statements import june.csv --send',
    applied: 'no',
  });
  expect(server.changes).toEqual([]);
  const again = await run(importing(file, '--yes'));
  expect(again, again.stderr).toMatchObject({status: 0});
  await stage.expectBilled('open');
  expect(Object.values(await stage.emails())).toEqual([1, 1, 1, 1]);
});

test('failed: what failed is billed only with --retry-failed, and what was sent is left alone', async () => {
  const stage = await machine('failed', DAY);
  const {run, job, server} = stage;
  expect((await run(['jobs', 'list', '--json'])).json()).toMatchObject([{state: 'ended', done: 2, failed: 2}]);
  const left = await run(['jobs', 'resume', job, '--yes']);
  expect(left).toMatchObject({status: 11, stderr: expect.stringContaining('2 of 4 sent, 2 failed.')});
  expect(server.changes).toEqual([]);
  const retried = await run(['jobs', 'resume', job, '--retry-failed', '--yes']);
  await expectFinished(stage, {state: 'ended'}, retried);
});

describe('the same file again', () => {
  test.each(['drafts', 'opened', 'send-unanswered'])('%s: refused while that job is not done', async (name) => {
    const {run, job, file, server} = await machine(name, DAY);
    const refused = await run(importing(file, '--yes', '--json'));
    expect(refused.error()).toMatchObject({
      code: 'begun_before',
      hint: expect.stringContaining(`centavo jobs resume ${job}`),
    });
    expect(server.changes).toEqual([]);
  });

  test('abandoned: what that job made is made whole, and billed once', async () => {
    const stage = await machine('abandoned', DAY);
    const again = await stage.run(importing(stage.file, '--yes'));
    expect(again, again.stderr).toMatchObject({status: 0});
    await stage.expectBilled('open');
    expect(Object.values(await stage.emails())).toEqual([1, 1, 1, 1]);
  });

  test('kept: everything was billed before', async () => {
    const {run, job, file, server} = await machine('kept', DAY);
    const refused = await run(importing(file, '--yes', '--json'));
    expect(refused.error()).toMatchObject({code: 'imported_before', hint: `To see them: centavo jobs get ${job}`});
    expect(server.changes).toEqual([]);
  });

  test('after another machine billed its rows: they are taken for what they are, and sent by nobody again', async () => {
    const {run, job, env, file, emails} = await machine('customer-not-arrived', DAY);
    const elsewhere = temporaryDirectory();
    cpSync(file, join(elsewhere, 'june.csv'));
    const other = commandsIn(elsewhere, {env, pace: 0.001});
    expect(await other(importing(join(elsewhere, 'june.csv'), '--yes'))).toMatchObject({status: 0});
    const resumed = await run(['jobs', 'resume', job, '--adopt', '--yes']);
    expect(resumed, resumed.stderr).toMatchObject({status: 11});
    expect(resumed.stderr).toContain(`${ROWS.length} may have been sent`);
    expect(await emails()).toEqual(Object.fromEntries(ROWS.map((row) => [row, 1])));
  });

  test('on another machine: what 0.6.0 may have sent is not sent there', async () => {
    const stage = await machine('send-unanswered', DAY);
    const elsewhere = commandsIn(temporaryDirectory(), {env: stage.env, pace: 0.001});
    const before = await stage.emails();
    const adopted = await elsewhere(importing(stage.file, '--adopt', '--yes'));
    expect(adopted, adopted.stderr).toMatchObject({status: 11, stderr: expect.stringContaining('may have been sent')});
    await stage.expectBilled('open');
    expect(await stage.emails()).toEqual(before);
  });
});

/** Every job that 0.6.0 left, with its state. */
const ALL: readonly (readonly [string, Left['state']])[] = [
  ...Object.entries(LEFT).map(([name, {state}]) => [name, state] as const),
  ['ready', 'ready'],
  ['failed', 'ended'],
];

test.each(ALL)('%s: is abandoned only with --yes if it was stopped, and its file is deleted', async (name, state) => {
  const directory = temporaryDirectory();
  const job = copyJob(name, directory);
  const end = endOf(name) * 1000;
  const run = commandsIn(directory, {now: () => end + DAY * 1000});
  const remove = async (...more: string[]) => (await run(['jobs', 'remove', job, ...more, '--json'])).json();
  if (state === 'stopped') {
    expect((await run(['jobs', 'remove', job, '--json'])).error()).toMatchObject({code: 'job_not_done'});
    expect(await remove('--yes')).toEqual([{id: job, action: 'abandon'}]);
    expect((await run(['jobs', 'list', '--json'])).json()).toMatchObject([{id: job, state: 'abandoned'}]);
  }
  expect(await remove('--dry-run')).toEqual([{id: job, action: 'delete'}]);
  expect(await remove()).toEqual([{id: job, action: 'delete'}]);
  expect(readdirSync(join(directory, 'jobs'))).toEqual([]);
});

test.each(['kept', 'abandoned'])('%s: an import deletes its file 90 days after its end', async (name) => {
  const directory = temporaryDirectory();
  const job = copyJob(name, directory);
  const [ended] = (await commandsIn(directory)(['jobs', 'list', '--json'])).json<{ended_at: number}[]>();
  const at = (seconds: number) => commandsIn(directory, {now: () => (ended!.ended_at + 90 * DAY + seconds) * 1000});
  // It is deleted before the file is read.
  const none = importing(join(directory, 'none.csv'), '--yes');
  await at(-1)(none);
  expect(jobsIn(directory)).toEqual([job]);
  await at(0)(none);
  expect(jobsIn(directory)).toEqual([]);
});

test.runIf(loaded.pty)('send-lost: a person decides about what may have been sent', async () => {
  const {directory, run, env, job, emails} = await machine('send-lost', DAY);
  const asked = screenInProcess(directory, ['jobs', 'resume', job, '--resend-unknown'], {
    ...{columns: 160, now: endOf('send-lost') + DAY, env},
  });
  await asked.until(/for Ben Cruz, ₱6,000\.00, may have been sent\.[^]*❯ Decide later/);
  asked.type('\u001B[B\r');
  expect(await asked.ended).toBe(0);
  expect(await asked.text()).toContain('4 of 4 sent');
  expect(Object.values(await emails())).toEqual([1, 1, 1, 1]);
  expect((await run(['jobs', 'list', '--json'])).json()).toMatchObject([{state: 'ended', done: 4, in_doubt: 0}]);
});
