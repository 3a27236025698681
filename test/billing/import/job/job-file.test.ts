// The file of a job when more than one process has it open: only the one that works on it writes, and nobody undoes what another did.

import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {JobFile} from '../../../../src/billing/import/job/job-file.js';
import {openDatabase} from '../../../../src/storage/sqlite.js';
import {temporaryDirectory} from '../../../support/cli.js';

const NOW = 1_800_000_000;
const [FIRST, SECOND] = [
  {pid: 1, startedAt: 1},
  {pid: 2, startedAt: 2},
];

/** A job of one row, opened several times. */
function opened(count: number): JobFile[] {
  const path = join(temporaryDirectory(), 'jobs', 'job_test.db');
  const made = JobFile.create(path, {
    ...{id: 'job_test', source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'},
    ...{finalize: true, send: true, created_at: NOW, result_file: null, period: null, digest: ''},
  });
  made.addRow({
    ...{external_id: 'JUNE-1', line: 2, customer: 'cus_1', due: null, due_at: null, description: null, metadata: null},
  });
  made.close();
  const jobs = Array.from({length: count}, () => JobFile.open(path));
  onTestFinished(() => {
    for (const job of jobs) job.close();
  });
  return jobs;
}

test('does not release a job that another process has claimed', () => {
  const [one, other] = opened(2) as [JobFile, JobFile];
  one.claim(FIRST, () => true);
  // After a clock change, the first one looks like another process.
  other.claim(SECOND, () => false);
  one.release(FIRST, 'ended', NOW);
  expect(() => one.refuseIfTaken(FIRST, () => true)).toThrow('is running in process 2');
  other.release(SECOND, 'ended', NOW);
  expect(one.record.state).toBe('ended');
});

test('writes nothing after a failed commit', async () => {
  const [job] = opened(1) as [JobFile];
  (job as unknown as {database: {exec: (sql: string) => void}}).database.exec('PRAGMA busy_timeout=1');
  job.begin();
  job.end();
  const other = openDatabase(job.path);
  other.exec('BEGIN IMMEDIATE');
  expect(() => job.begin()).toThrow();
  other.exec('COMMIT');
  other.close();
  expect(() => job.setRow(1, {sent: 'yes'})).toThrow();
  job.recover();
  expect(job.row(1).sent).toBe('no');
});

test('does not resend a row that another process sent during the question', () => {
  const [job] = opened(1) as [JobFile];
  const inDoubt = (): void => job.setRow(1, {phase: 'finishing', sent: 'unknown'});
  inDoubt();
  const asked = job.sendsInDoubt();
  job.sendAgain(asked, NOW);
  expect(job.row(1)).toMatchObject({sent: 'no', opened: 1, resend_at: NOW});
  // The other process has resent it, with an unknown outcome or success.
  inDoubt();
  job.sendAgain(asked, NOW + 9);
  expect(job.row(1)).toMatchObject({sent: 'unknown', resend_at: NOW});
  job.setRow(1, {phase: 'done', sent: 'yes'});
  job.sendAgain(asked, NOW + 9);
  expect(job.row(1)).toMatchObject({sent: 'yes', resend_at: NOW});
});

test('reports a removed job as not found and creates no file', () => {
  const path = join(temporaryDirectory(), 'job_gone.db');
  expect(() => JobFile.open(path)).toThrow(`job file ${path} was not found.`);
  expect(existsSync(path)).toBe(false);
});
