// `centavo jobs`: list, get, remove and resume.

import {existsSync, readdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {JobFile} from '../../../src/billing/import/job/job-file.js';
import {processIdentityOf} from '../../../src/processes/process-identity.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {importing, importStage, jobsIn, machineWith, stopAfter} from '../../support/scenarios/imports.js';
import {screenInProcess} from '../../support/in-process.js';
import {loaded} from '../../support/terminal.js';

const FIELDS =
  'external_id,customer_name,id,number,status,sent,amount_centavos,amount_pesos,link,mode,error_code,error';

test('shows a job in every format, with the fields of the result file', async () => {
  const {service, directory, file, run} = await importStage(3);
  service.faults = {refuses: (_, body) => (body.includes('JUNE-0002') ? 'Not today.' : undefined)};
  expect((await run(importing(file, '--yes'))).status).toBe(11);
  const [job] = jobsIn(directory);
  const document = (await run(['jobs', 'get', job!, '--json'])).json();
  expect(document).toMatchObject({
    id: job,
    source: file,
    state: 'ended',
    statements: 3,
    done: 2,
    failed: 1,
  });
  expect(document.rows.map((row: Record<string, unknown>) => [row.external_id, row.sent, row.error_code])).toEqual([
    ['JUNE-0001', 'yes', null],
    ['JUNE-0002', 'no', 'parameter_invalid'],
    ['JUNE-0003', 'yes', null],
  ]);
  const csv = (await run(['jobs', 'get', job!, '-o', 'csv'])).stdout.trimEnd().split(/\r?\n/);
  expect([csv[0], csv.length]).toEqual([FIELDS, 4]);
  expect((await run(['jobs', 'get', job!, '--open', '-o', 'jsonl'])).stdout.trim().split('\n')).toHaveLength(1);
  expect((await run(['jobs', 'get', job!, '--jq', '.rows[].external_id'])).stdout).toBe(
    'JUNE-0001\nJUNE-0002\nJUNE-0003\n',
  );
  expect((await run(['jobs', 'get', job!, '--json', '--fields', 'external_id,sent'])).json().rows[1]).toEqual({
    external_id: 'JUNE-0002',
    sent: 'no',
  });
  const shown = await run(['jobs', 'get', job!], {columns: 120});
  expect(shown.stdout).toContain(`2 of 3 done, ₱2,118.12, 1 failed.`);
  expect(shown.stderr).toContain(`To retry the failed rows: centavo jobs resume ${job} --retry-failed`);
  const [listed] = (await run(['jobs', 'list', '--json'])).rows();
  expect(listed).toEqual({...document, rows: undefined});
  expect((await run(['jobs', 'list', '--fields', 'id,state,done'])).stdout).toBe(`${job}\tended\t2\n`);
});

test('a long job is one document and one list for any number of pages', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const facts = {
    source: 'june.csv',
    profile: 'sandbox',
    mode: 'sandbox',
    account: 'sandbox',
    result_file: null,
    period: null,
    digest: '',
  } as const;
  const id = 'job_longlonglo';
  const more = {finalize: true, send: true, created_at: 1_800_000_000};
  const job = JobFile.create(join(directory, 'jobs', `${id}.db`), {id, ...facts, ...more});
  job.transaction(() => {
    for (let n = 1; n <= 1201; n++) {
      const empty = {due: null, due_at: null, description: null, metadata: null};
      job.addRow({external_id: `JUNE-${n}`, line: n + 1, customer: 'ana@example.com', ...empty});
    }
  });
  job.close();
  const {rows, ...document} = (await run(['jobs', 'get', id, '--json'])).json();
  expect(document).toMatchObject({id, state: 'ready', statements: 1201});
  expect(rows.map((row: Record<string, string>) => row.external_id)).toEqual(
    Array.from({length: 1201}, (_, index) => `JUNE-${index + 1}`),
  );
  const lines = (await run(['jobs', 'get', id, '-o', 'csv'])).stdout.trimEnd().split(/\r?\n/);
  expect([lines.length, lines.filter((line) => line === FIELDS).length]).toEqual([1202, 1]);
});

test('a job that was killed before its first row is not listed, and is removed by an import', async () => {
  const {directory, file, run} = await importStage(1);
  const now = Math.floor(Date.now() / 1000);
  const id = 'job_longlonglo';
  const facts = {source: file, profile: 'env', mode: 'test', account: 'a', result_file: null, period: null, digest: ''};
  const header = {id, ...facts, finalize: true, send: true, created_at: now - 600} as const;
  JobFile.create(join(directory, 'jobs', `${id}.db`), {...header, mode: 'test'}).close();
  expect((await run(['jobs', 'list', '--json'])).rows()).toEqual([]);
  expect((await run(importing(file, '--yes'), {now: () => (now - 1) * 1000})).status).toBe(0);
  expect(jobsIn(directory)).toContain(id);
  expect((await run(importing(file, '--yes'), {now: () => now * 1000})).status).toBe(0);
  expect(jobsIn(directory)).not.toContain(id);
});

test('an import deletes job files 90 days after the end of the job; a dry run does not', async () => {
  const {directory, file, text, run} = await importStage(1);
  const now = Math.floor(Date.now() / 1000);
  const ended = now - 90 * 86_400;
  const id = 'job_longlonglo';
  const facts = {
    source: 'june.csv',
    profile: 'sandbox',
    mode: 'sandbox',
    account: 'sandbox',
    result_file: null,
    period: null,
    digest: '',
  } as const;
  const more = {finalize: true, send: true, created_at: ended - 60 * 86_400};
  const job = JobFile.create(join(directory, 'jobs', `${id}.db`), {id, ...facts, ...more});
  const owner = {pid: 1, startedAt: 1};
  job.claim(owner, () => false);
  job.release(owner, 'ended', ended);
  job.close();
  expect((await run(importing(file, '--dry-run'), {now: () => now * 1000})).status).toBe(0);
  expect((await run(importing(file, '--yes'), {now: () => (now - 1) * 1000})).status).toBe(0);
  expect(jobsIn(directory)).toHaveLength(2);
  writeFileSync(file, text.replaceAll('JUNE', 'JULY').replaceAll('12-15', '12-16'));
  expect((await run(importing(file, '--yes'), {now: () => now * 1000})).status).toBe(0);
  expect([jobsIn(directory).length, jobsIn(directory).includes(id)]).toEqual([2, false]);
});

test('keeps the file of a running job, even with --yes', async () => {
  const {directory, file, run} = await importStage(1);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [id] = jobsIn(directory);
  const job = JobFile.open(join(directory, 'jobs', `${id}.db`));
  // This process is alive.
  const owner = processIdentityOf(process.pid, performance.timeOrigin);
  job.claim(owner, () => false);
  const refused = await run(['jobs', 'remove', id!, '--yes', '--json']);
  expect(refused.error()).toMatchObject({
    exit_code: 12,
    message: `${id} is running. Nothing was changed.`,
    applied: 'no',
  });
  expect(jobsIn(directory)).toEqual([id]);
  job.release(owner, 'ended', 1_800_000_000);
  job.close();
  expect((await run(['jobs', 'remove', id!, '--json'])).json()).toEqual({id, action: 'delete'});
  expect(jobsIn(directory)).toEqual([]);
});

test('--yes abandons an unfinished job, which can be resumed, and deletes a finished one', async () => {
  const {service, directory, file, run} = await importStage(2);
  await run(importing(file, '--yes'), stopAfter(service, 5));
  const [job] = jobsIn(directory);
  const refused = await run(['jobs', 'remove', job!, '--json']);
  expect(refused).toMatchObject({status: 12, stdout: ''});
  expect(refused.error()).toMatchObject({
    code: 'job_not_done',
    message: `${job} is not finished: 0 of 2 statements done. Nothing was changed.`,
    ...{needs_person: true, job, next: [['jobs', 'resume', job]]},
  });
  expect(await run(['jobs', 'remove', job!, '--dry-run'])).toMatchObject({
    stdout: `id\t${job}\naction\tabandon\n`,
    stderr: `Nothing was changed: this would abandon ${job} (0 of 2 statements done).\n`,
  });
  expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{state: 'stopped'}]);
  expect(await run(['jobs', 'remove', job!, '--yes'])).toMatchObject({
    stdout: `id\t${job}\naction\tabandon\n`,
    stderr: [
      `${job} is abandoned. Its statements and drafts stay in the account.`,
      `To void the statements and delete the drafts: centavo jobs void ${job}`,
      `To delete the job file: centavo jobs remove ${job}\n`,
    ].join('\n'),
  });
  expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{state: 'abandoned'}]);
  service.faults = {};
  expect((await run(['jobs', 'resume', job!, '--yes'])).status).toBe(0);
  expect(await run(['jobs', 'remove', job!, '--dry-run'])).toMatchObject({
    stderr: `Nothing was changed: this would delete the job file of ${job}.\n`,
  });
  expect((await run(['jobs', 'remove', job!, '--json'])).json()).toEqual({id: job, action: 'delete'});
  expect(jobsIn(directory)).toEqual([]);
});

test.skipIf(!loaded.pty)('at a terminal a question says what happens to the job', async () => {
  const {service, directory, file, run} = await importStage(2);
  await run(importing(file, '--yes'), stopAfter(service, 5));
  const [job] = jobsIn(directory);
  const damaged = 'job_garbage000';
  writeFileSync(join(directory, 'jobs', `${damaged}.db`), 'no database');
  const ask = async (id: string, what: string, answer: string): Promise<number> => {
    const desk = screenInProcess(directory, ['jobs', 'remove', id], {columns: 160, now: null});
    await desk.until(new RegExp(`${what.replaceAll(' ', '\\s+')}\\? \\(y/N\\)`));
    desk.type(answer);
    return desk.ended;
  };
  const abandon = `Abandon ${job} \\(0 of 2 statements done\\)`;
  expect(await ask(job!, abandon, '\r')).toBe(12);
  expect(jobsIn(directory)).toHaveLength(2);
  expect(await ask(job!, abandon, 'y\r')).toBe(0);
  expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{id: job, state: 'abandoned'}]);
  expect(await ask(damaged, `Delete the job file of ${damaged}, which cannot be read`, 'y\r')).toBe(0);
  expect(jobsIn(directory)).toEqual([job]);
});

test.skipIf(!loaded.pty)('does not remove a job that was resumed during the question', async () => {
  const {service, directory, file, run} = await importStage(2);
  expect((await run(importing(file, '--yes'), stopAfter(service, 5))).status).toBe(130);
  const [job] = jobsIn(directory);
  const desk = screenInProcess(directory, ['jobs', 'remove', job!], {columns: 160, now: null});
  await desk.until(new RegExp(`Abandon ${job} `));
  service.faults = {};
  expect((await run(['jobs', 'resume', job!, '--yes'])).status).toBe(0);
  desk.type('y\r');
  expect(await desk.ended).toBe(12);
  expect(await desk.text()).toContain(`another process worked on ${job}.`);
  expect(jobsIn(directory)).toEqual([job]);
});

test('names a damaged file, lists the others, and can remove it', async () => {
  const {directory, file, run} = await importStage(2);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  const [garbage, empty] = ['job_garbage000', 'job_empty00000'];
  writeFileSync(join(directory, 'jobs', `${garbage}.db`), 'no database');
  writeFileSync(join(directory, 'jobs', `${empty}.db`), '');
  const list = await run(['jobs', 'list']);
  expect(list).toMatchObject({status: 0, stdout: expect.stringMatching(new RegExp(`^${job}\\t[^\\n]*\\n$`))});
  for (const id of [garbage, empty]) {
    expect(list.stderr).toContain(`${id} cannot be read. To see why: centavo jobs get ${id}\n`);
    const get = await run(['jobs', 'get', id, '--json']);
    expect(get.error()).toMatchObject({
      exit_code: 15,
      hint: `Import the spreadsheet again. To remove the file: centavo jobs remove ${id}`,
    });
    expect((await run(['jobs', 'remove', id, '--json'])).error()).toMatchObject({exit_code: 12, applied: 'no'});
    expect((await run(['jobs', 'remove', id, '--yes', '--json'])).json()).toEqual({id, action: 'delete'});
  }
  expect(jobsIn(directory)).toEqual([job]);
});

test('refuses unknown jobs and jobs of another account', async () => {
  const {service, directory, file, run} = await importStage(2);
  await run(importing(file, '--yes'), stopAfter(service, 5));
  const [job] = jobsIn(directory);
  for (const verb of ['get', 'resume', 'remove', 'void']) {
    expect((await run(['jobs', verb, 'job_nosuchjob0', '--json'])).error()).toMatchObject({code: 'job_not_found'});
    expect((await run(['jobs', verb, 'june.csv', '--json'])).error()).toMatchObject({code: 'invalid_id', exit_code: 2});
  }
  for (const verb of ['get', 'remove', 'void'])
    expect((await run(['jobs', verb])).stderr).toMatch(/is missing\.\n[^]*To list jobs: centavo jobs list\n/);
  expect((await run(['jobs', 'get', '../../june', '--json'])).error()).toMatchObject({code: 'invalid_id'});
  const sandbox = commandsIn(directory);
  const elsewhere = await sandbox(['jobs', 'resume', job!, '--json']);
  expect(elsewhere.error()).toMatchObject({code: 'other_account', exit_code: 12, applied: 'no'});
  const dry = await run(['jobs', 'resume', job!, '--dry-run', '--json']);
  expect(dry.rows().map(({external_id: id}: {external_id: string}) => id)).toEqual(['JUNE-0001', 'JUNE-0002']);
  service.faults = {};
  expect((await run(['jobs', 'resume', job!, '--yes'])).status).toBe(0);
});

test('resume prints at once what it waits for, even without a terminal', async () => {
  const {service, file, run} = await importStage(2);
  const stop = new AbortController();
  // The response to the first change is lost.
  service.faults = {reset: 1, onChange: () => stop.abort()};
  expect((await run(importing(file, '--yes'), {signal: stop.signal})).status).toBe(130);
  service.faults = {};
  const resumed = await run(['jobs', 'resume', '--yes']);
  expect(resumed).toMatchObject({status: 0, stdout: expect.stringMatching(/^2 of 2 sent/)});
  expect(resumed.stderr).toMatch(/^→ .*\nChecking until \d\d:\d\d:\d\d whether the call was applied\.$/m);
});

test('resume without an id continues the stopped job and names it', async () => {
  const {service, directory, file, run} = await importStage(3);
  const none = await run(['jobs', 'resume', '--yes', '--json']);
  expect(none.error()).toMatchObject({code: 'no_job', exit_code: 2, applied: 'no'});
  expect((await run(importing(file, '--yes'), stopAfter(service, 4))).status).toBe(130);
  service.faults = {};
  const [job] = jobsIn(directory);
  const resumed = await run(['jobs', 'resume', '--yes']);
  expect(resumed).toMatchObject({status: 0, stdout: expect.stringMatching(/^3 of 3 sent/)});
  expect(resumed.stderr).toMatch(new RegExp(`^${job}, \\S+june\\.csv: 0 of 3 done\n`));
  expect([...service.emails().values()]).toEqual([1, 1, 1]);
});

test('resume without an id asks which of several, and lists them without a terminal', async () => {
  const {service, env, directory, file, run} = await importStage(2);
  service.faults = {refuses: (_, body) => (body.includes('JUNE-0002') ? 'Not today.' : undefined)};
  expect((await run(importing(file, '--yes'))).status).toBe(11);
  const [first] = jobsIn(directory);
  const other = join(directory, 'july.csv');
  writeFileSync(other, readFileSync(file, 'utf8').replaceAll('JUNE', 'JULY'));
  service.faults = {refuses: (_, body) => (body.includes('JULY-0002') ? 'Not today.' : undefined)};
  // The newest comes first.
  service.clock.ahead = 60;
  expect((await run(importing(other, '--yes', '--allow-duplicate'))).status).toBe(11);
  service.faults = {};
  expect((await run(['jobs', 'resume', '--yes', '--json'])).error()).toMatchObject({code: 'no_job'});
  const several = await run(['jobs', 'resume', '--retry-failed', '--yes', '--json']);
  expect(several).toMatchObject({status: 2, stdout: ''});
  for (const job of jobsIn(directory)) expect(several.error().hint).toContain(job);
  const desk = screenInProcess(directory, ['jobs', 'resume', '--retry-failed', '--yes'], {
    ...{columns: 160, now: null, pace: 0.01, env},
  });
  await desk.until(/Which import\?\s+❯ job_\w+, \S+july\.csv: 1 of 2 done\s+job_\w+, \S+june\.csv: 1 of 2 done/);
  desk.type('\u001B[B\r');
  expect(await desk.ended).toBe(0);
  expect((await run(['jobs', 'get', first!, '--json'])).json()).toMatchObject({done: 2});
});

test('offers to continue the stopped import of a file', async () => {
  const {service, env, directory, file, run} = await importStage(3);
  expect((await run(importing(file, '--yes'), stopAfter(service, 4))).status).toBe(130);
  service.faults = {};
  const [job] = jobsIn(directory);
  // Another plan for the same rows.
  const finalizing = ['billing-statements', 'import', file, '--finalize'];
  const desk = screenInProcess(directory, finalizing, {columns: 160, now: null, pace: 0.01, env});
  await desk.until(
    /june\.csv was begun on .* and is not finished: 0 of 3 done\. Continue that import instead\? \(y\/N\)/,
  );
  desk.type('y\r');
  await desk.until(/3 billing statements[^]*\? \(y\/N\)/);
  desk.type('y\r');
  expect(await desk.ended).toBe(0);
  expect([...service.emails().values()]).toEqual([1, 1, 1]);
  expect(jobsIn(directory)).toEqual([job]);
});

test('resumes an import from stdin without the input', async () => {
  const {service, env, text, amounts} = await importStage(3);
  const {directory, run} = machineWith('', env);
  const stopped = await run(importing('-', '--yes'), {input: text, ...stopAfter(service, 8)});
  expect(stopped).toMatchObject({status: 130, stderr: expect.not.stringContaining('Result:')});
  service.faults = {};
  const [job] = jobsIn(directory);
  expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{id: job, source: '-', state: 'stopped'}]);
  const result = join(directory, 'mine.csv');
  expect((await run(['jobs', 'resume', job!, '--yes', '--result', result])).status).toBe(0);
  expect(await service.wrong(amounts)).toEqual([]);
  expect([...service.emails().values()]).toEqual([1, 1, 1]);
  expect(existsSync(result)).toBe(true);
});

test('only the owner can read job files', async () => {
  const {directory, file, run} = await importStage(1);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const folder = join(directory, 'jobs');
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(statSync(join(directory, 'june-result.csv')).mode & 0o777).toBe(0o600);
});
