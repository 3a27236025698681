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

/** A job of one row, opened as often as asked for. */
function opened(count: number): JobFile[] {
  const path = join(temporaryDirectory(), 'jobs', 'job_test.db');
  const made = JobFile.create(path, {
    ...{id: 'job_test', source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'},
    ...{finalize: true, send: true, created_at: NOW, result_file: null},
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

test('a process whose job another has taken over does not release it', () => {
  const [one, other] = opened(2) as [JobFile, JobFile];
  one.claim(FIRST, () => true);
  // The clock was set, so the first one seems to be another process by now.
  other.claim(SECOND, () => false);
  one.release(FIRST, 'ended', NOW);
  expect(() => one.refuseIfTaken(FIRST, () => true)).toThrow('is running in process 2');
  other.release(SECOND, 'ended', NOW);
  expect(one.record.state).toBe('ended');
});

test('a process that cannot get the file back after it has written to the disk writes nothing more', async () => {
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

test('what a person was asked about, and another process has sent meanwhile, is not sent again', () => {
  const [job] = opened(1) as [JobFile];
  const unclear = (): void => job.setRow(1, {phase: 'finishing', sent: 'unknown'});
  unclear();
  const asked = job.unclearSends();
  job.sendAgain(asked, NOW);
  expect(job.row(1)).toMatchObject({sent: 'no', opened: 1, resend_at: NOW});
  // The other process has sent it again, which is in doubt in its turn; or it was sent.
  unclear();
  job.sendAgain(asked, NOW + 9);
  expect(job.row(1)).toMatchObject({sent: 'unknown', resend_at: NOW});
  job.setRow(1, {phase: 'done', sent: 'yes'});
  job.sendAgain(asked, NOW + 9);
  expect(job.row(1)).toMatchObject({sent: 'yes', resend_at: NOW});
});

test('a job that another process has removed is not there, and no file is made in its place', () => {
  const path = join(temporaryDirectory(), 'job_gone.db');
  expect(() => JobFile.open(path)).toThrow(`job file ${path} was not found.`);
  expect(existsSync(path)).toBe(false);
});
