// Data folders with one damaged file after a change, and what the next command does.

import {copyFileSync, cpSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'vitest';
import {processIdentityOf} from '../../../src/processes/process-identity.js';
import {temporaryDirectory} from '../cli.js';
import {commandsIn, IN_MEMORY} from '../commands.js';
import type {Failure} from '../services/failing.js';
import {jobsIn} from './imports.js';
import {machineThatLoses} from './lost-histories.js';
import {controlOf} from '../../../src/sandbox/control/control.js';

const HERE = {name: 'desk', id: 'one'};
const THERE = {name: 'laptop', id: 'two'};
/** A process that has ended. */
const ENDED = processIdentityOf(99_999_999, 0);
const [SENT, BEGUN] = [
  ['history.db', 'runs.db'],
  ['history.db', 'runs.db', 'machine.json'],
];
/** The changes, each with the files that it writes. */
const CHANGES: Readonly<Record<string, readonly string[]>> = {
  bill: BEGUN,
  'bill, answer lost': BEGUN,
  'bill, killed': BEGUN,
  import: [...BEGUN, 'job'],
  'import, killed': [...BEGUN, 'job'],
  remind: SENT,
  send: SENT,
  'send, answer lost': SENT,
  refund: ['history.db'],
  'refund, answer lost': ['history.db'],
  'keyed bill': [...BEGUN, 'repeats.db'],
  'keyed bill, answer lost': [...BEGUN, 'repeats.db'],
  'keyed refund, answer lost': ['history.db', 'repeats.db'],
};
const FAULTS = ['missing', 'of zero bytes', 'truncated', 'of an older copy', 'of another machine'] as const;
const NEXT = ['again', 'remind', 'resume', 'send', 'doctor'] as const;

export type DamagedFolder = readonly [
  change: string,
  file: string,
  fault: (typeof FAULTS)[number],
  next: (typeof NEXT)[number],
];

export const DAMAGED_FOLDERS: readonly DamagedFolder[] = Object.entries(CHANGES).flatMap(([change, files]) =>
  [...files, 'the folder'].flatMap((file) =>
    FAULTS.filter((fault) => file !== 'the folder' || fault === 'of another machine').flatMap((fault) =>
      NEXT.filter((next) => next !== 'resume' || change.startsWith('import')).map(
        (next) => [change, file, fault, next] as const,
      ),
    ),
  ),
);

/** Command lines of changes, by verb. @param known id of an open or paid statement */
const wordsFor = (file: string, email: string, known: string): Readonly<Record<string, string[]>> => ({
  bill: ['bill', '--customer', email, '--item', 'Web design @ 1500', '--due', '2031-12-15', '--send'],
  import: ['billing-statements', 'import', file, '--send', '--concurrency', '1'],
  remind: ['remind', known],
  send: ['send', known],
  refund: ['refunds', 'create', '--statement', known, '--amount', '100', '--reason', 'others'],
});

/** Makes a change, damages the folder and goes on: fails if anything is emailed, billed or refunded twice, or told wrongly. */
export async function continueDamaged([change, file, fault, next]: DamagedFolder): Promise<void> {
  const closers: (() => Promise<void> | void)[] = [];
  const onClose = (close: () => Promise<void> | void): void => void closers.push(close);
  const {merchant, server, directory, failure, env} = await machineThatLoses(onClose, IN_MEMORY);
  const [older, other, crash] = [1, 2, 3].map(() => temporaryDirectory(onClose, IN_MEMORY)) as [string, string, string];
  const on = (folder: string, machine = HERE) => commandsIn(folder, {env, pace: 0.01, host: {machine}});
  // What each machine did before.
  for (const [folder, machine, name] of [
    [directory, HERE, 'bea'],
    [other, THERE, 'cleo'],
    [undefined, HERE, 'ana'],
  ] as const) {
    const emails = [1, 2].map((n) => `${name}${n}@example.com`);
    for (const email of emails) await merchant.customer({name: email, email});
    const rows = emails.map((email) => `${email},${email},Web design,1500,2031-12-15\n`).join('');
    writeFileSync(join(directory, `${name}.csv`), `External ID,Customer Email,Item,Unit Price,Due\n${rows}`);
    if (folder === undefined) continue;
    const {bill, import: imports} = wordsFor(join(directory, `${name}.csv`), emails[0]!, '');
    for (const words of [
      [...bill!, '--idempotency-key', name],
      [...imports!, '--allow-duplicate'],
    ]) {
      const done = await on(folder, machine)(words);
      expect(done.status, done.stderr).toBe(0);
    }
  }
  const email = 'ana1@example.com';
  const {data: customers} = await merchant.call('GET', `/customers?email=${email}`);
  const known = String((await merchant.open({customer_id: (customers as {id: string}[])[0]!.id})).id);
  const verb = /bill|import|remind|send|refund/.exec(change)![0];
  if (verb === 'refund') controlOf(merchant.sandbox).pay(known, {});
  cpSync(directory, older, {recursive: true});

  const typed = [
    ...wordsFor(join(directory, 'ana.csv'), email, known)[verb]!,
    ...(change.startsWith('keyed') ? ['--idempotency-key', 'june'] : []),
  ];
  const earlier = {jobs: jobsIn(directory), changes: server.made.length};
  const newJobs = () => jobsIn(directory).filter((id) => !earlier.jobs.includes(id));
  failure.first = () => {
    for (const id of newJobs()) copyFileSync(join(directory, 'jobs', `${id}.db`), join(older, 'job'));
  };
  const stop = new AbortController();
  const killed: Failure = {
    after: () => {
      failure.next = undefined;
      cpSync(directory, crash, {recursive: true});
      stop.abort();
    },
  };
  failure.next = change.endsWith('killed') ? killed : change.endsWith('lost') ? 'answer lost' : undefined;
  const first = await on(directory)(typed, {signal: stop.signal, host: {machine: HERE, identity: ENDED}});
  failure.next = undefined;
  expect(first.status === 0, first.stderr).toBe(!change.includes(','));
  if (change.endsWith('killed')) {
    for (const name of readdirSync(directory)) rmSync(join(directory, name), {recursive: true});
    cpSync(crash, directory, {recursive: true});
  }

  const [job = ''] = newJobs();
  const path = join(directory, file === 'job' ? `jobs/${job}.db` : file);
  const {size} = statSync(file === 'the folder' ? directory : path);
  if (file === 'the folder') cpSync(directory, older, {recursive: true});
  else if (fault === 'missing') rmSync(path);
  else if (fault === 'of zero bytes') truncateSync(path);
  else if (fault === 'truncated') truncateSync(path, Math.floor(size / 2));
  else if (fault === 'of an older copy') copyFileSync(join(older, file), path);
  else copyFileSync(join(other, file === 'job' ? `jobs/${jobsIn(other)[0]}.db` : file), path);

  const made = () => server.made.slice(earlier.changes).map(({path: at}) => at);
  const emailsOf = (id: string) => made().filter((at) => at === `/billing_statements/${id}/send`).length;
  const statements = async (): Promise<any[]> =>
    (await merchant.call('GET', '/billing_statements?limit=50')).data as any[];
  const own = (await statements()).filter(({customer}) => String(customer.email).startsWith('ana'));
  const target = (own.find(({id}) => emailsOf(id) > 0) ?? own[0]).id as string;
  const isSent = emailsOf(target) > 0;
  const before = made().length;
  const goOn = file === 'the folder' ? on(older, THERE) : on(directory);
  const lines = {again: typed, remind: ['remind', target], resume: ['jobs', 'resume', job], send: ['send', target]};
  const result = await goOn([...(next === 'doctor' ? ['doctor'] : lines[next]), '--json']);
  const changes = made().length - before;
  const report = `${result.stdout}${result.stderr}`;

  expect([0, 5, 6, 10, 11, 12, 15], report).toContain(result.status);
  expect(Math.max(0, ...own.map(({id}) => emailsOf(id))), report).toBeLessThanOrEqual(1);
  const billed = (await statements()).filter(({customer}) => String(customer.email).startsWith('ana')).length;
  expect(billed, report).toBe(verb === 'bill' ? 2 : verb === 'import' ? 3 : 1);
  // No other file records a refund without a key.
  const forgets = change.startsWith('refund') && file === 'history.db' && fault !== 'truncated' && next === 'again';
  expect(made().filter((at) => at === '/refunds').length, report).toBe(verb !== 'refund' ? 0 : forgets ? 2 : 1);
  if (!/again|resume/.test(next) || report.includes('"applied":"no"')) expect(changes, report).toBe(0);
  if (next === 'remind' && result.status === 0) {
    expect(result.rows(), report).toMatchObject([
      {reminded: 'no', reason: /,/.test(change) ? 'send_in_doubt' : 'sent_recently'},
    ]);
    expect(isSent).toBe(true);
  }
  const isDamaged = fault === 'truncated' && file.endsWith('.db');
  if (next === 'doctor' && isDamaged) expect([result.status, report]).toEqual([6, expect.stringContaining(file)]);
  if (isDamaged && result.status === 15) expect(result.error().message).toContain(file);
  for (const close of closers.reverse()) await close();
}
