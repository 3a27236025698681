// Confirmation of an import's whole plan in live mode, and the limits of the profile.

import {expect, test} from 'vitest';
import {importing, importStage, jobsIn, machineWith, stopAfter} from '../../../support/scenarios/imports.js';
import {configure} from '../../../support/scenarios/limits.js';
import {screenInProcess} from '../../../support/in-process.js';
import {loaded} from '../../../support/terminal.js';

test('in live mode --live --yes confirms, records and runs the plan, and resume needs --live', async () => {
  const {service, directory, file, amounts, run} = await importStage(4, {live: true});
  const refused = await run(importing(file, '--yes', '--json'));
  expect(refused.error()).toMatchObject({code: 'live_not_given', exit_code: 12, applied: 'no'});
  const unconfirmed = await run(importing(file, '--live', '--json'));
  expect(unconfirmed.error()).toMatchObject({code: 'cannot_confirm', exit_code: 12, applied: 'no'});
  expect(service.requests).toBe(0);

  const stopped = await run(importing(file, '--live', '--yes', '--concurrency', '1'), stopAfter(service, 10));
  expect(stopped).toMatchObject({
    status: 130,
    stderr: expect.stringMatching(/→ LIVE · env[^]*A person decides this, at a terminal\.$/m),
  });
  const [job] = jobsIn(directory);
  const {requests} = service;
  expect((await run(['jobs', 'resume', job!, '--yes', '--json'])).error()).toMatchObject({code: 'live_not_given'});
  expect((await run(['jobs', 'resume', job!, '--live', '--json'])).error()).toMatchObject({code: 'cannot_confirm'});
  expect(service.requests).toBe(requests);
  expect(await run(['jobs', 'resume', job!, '--live', '--yes'])).toMatchObject({status: 0});
  expect(await service.wrong(amounts)).toEqual([]);
  expect([...service.emails().values()]).toEqual([1, 1, 1, 1]);
  const {data} = (await run(['history', '--json'])).json();
  expect(data.map(({command, mode, result}: Record<string, string>) => [command, mode, result])).toEqual([
    ['jobs resume', 'live', 'ok'],
    ['billing-statements import', 'live', 'interrupted'],
  ]);
  expect(data[1].amount).toBe([...amounts.values()].reduce((sum, amount) => sum + amount, 0));
});

test.skipIf(!loaded.pty)(
  'at a terminal the question shows the plan; rows billed during the question are not billed again',
  async () => {
    const {service, env, directory, file, text, amounts} = await importStage(2, {live: true});
    const at = {columns: 160, now: null, env};
    const declined = screenInProcess(directory, importing(file, '--live'), at);
    await declined.until(
      /LIVE · env: create, finalize and send 2 billing statements of ₱4,060\.07 in all for 2 customers \(2 new\)\?/,
    );
    declined.type('\r');
    expect(await declined.ended).toBe(12);
    expect(await declined.text()).toContain('not confirmed');
    expect(await service.statements()).toEqual([]);
    expect(jobsIn(directory)).toEqual([]);

    const late = screenInProcess(directory, importing(file, '--live'), at);
    await late.until(/LIVE · env: .*\(y\/N\)/);
    const other = machineWith(text, env);
    expect(await other.run(importing(other.file, '--live', '--yes'))).toMatchObject({status: 0});
    late.type('y\r');
    expect(await late.ended).toBe(12);
    expect(await late.text()).toMatch(/changed after you confirmed\.\s+JUNE-000\d was billed as \S+ \(open, ₱/);
    expect(await service.wrong(amounts)).toEqual([]);
    expect([...service.emails().values()]).toEqual([1, 1]);
    expect(jobsIn(directory)).toEqual([]);
  },
);

test.skipIf(!loaded.pty)('a resumed job asks about the remaining rows, and again after a change', async () => {
  const {service, env, directory, file, text, amounts, run} = await importStage(3, {live: true});
  service.faults = {refuses: (_, body) => (body.includes('JUNE-0002') ? 'Not today.' : undefined)};
  expect((await run(importing(file, '--live', '--yes'))).status).toBe(11);
  service.faults = {};
  const [job] = jobsIn(directory);
  const resume = ['jobs', 'resume', job!, '--live', '--retry-failed'];
  const late = screenInProcess(directory, resume, {columns: 160, now: null, env});
  await late.until(
    new RegExp(`LIVE · env: continue ${job}: create, finalize and send 1 of 3 billing statements of ₱3,001\\.04`),
  );
  // The same statement in another machine's file: other content has another key.
  const [header = ''] = text.split('\n');
  const line = text.split('\n').find((each) => each.startsWith('JUNE-0002'))!;
  const other = machineWith(`${header}\n${line.replace('Item 1', 'Rent')}\n`, env);
  expect(await other.run(importing(other.file, '--live', '--yes'))).toMatchObject({status: 0});
  late.type('y\r');
  expect(await late.ended).toBe(12);
  expect(await late.text()).toMatch(/another run billed JUNE-0002\./);
  expect((await run([...resume, '--yes', '--json'])).error()).toMatchObject({
    code: 'duplicate_statement',
    exit_code: 12,
  });
  expect(await service.wrong(amounts)).toEqual([]);
  expect(await run([...resume, '--yes', '--allow-duplicate'])).toMatchObject({status: 0});
  expect([...service.emails().values()]).toEqual([1, 1, 1, 1]);
});

test('checks the profile’s limits against the whole plan, and against the remaining rows', async () => {
  const {service, directory, file, run} = await importStage(4);
  const env = (limits: object) => configure(directory, {profiles: {env: limits}});
  const changes: number[] = [];
  service.faults = {onChange: (number) => void changes.push(number)};
  env({max_statements_per_run: 3});
  const many = await run(importing(file, '--yes', '--json'));
  expect(many.error()).toMatchObject({code: 'too_many_statements', exit_code: 12, applied: 'no'});
  env({max_amount: 300_107});
  const large = await run(importing(file, '--yes', '--json'));
  expect(large.error()).toMatchObject({
    code: 'over_max_amount',
    message: expect.stringContaining('JUNE-0004 comes to ₱3,001.08'),
  });
  env({read_only: true});
  expect((await run(importing(file, '--yes', '--json'))).error()).toMatchObject({code: 'read_only'});
  expect(changes).toEqual([]);
  expect(jobsIn(directory)).toEqual([]);

  env({max_statements_per_run: 4, max_amount: 300_108});
  expect((await run(importing(file, '--yes', '--concurrency', '1'), stopAfter(service, 10))).status).toBe(130);
  service.faults = {onChange: (number) => void changes.push(number)};
  const resume = ['jobs', 'resume', jobsIn(directory)[0]!, '--yes', '--json'];
  env({max_statements_per_run: 3});
  expect((await run(resume)).error()).toMatchObject({code: 'too_many_statements', applied: 'no'});
  env({max_amount: 300_107});
  expect((await run(resume)).error()).toMatchObject({code: 'over_max_amount', applied: 'no'});
  env({read_only: true});
  expect((await run(resume)).error()).toMatchObject({code: 'read_only', applied: 'no'});
  expect(changes).toEqual([]);
  env({});
  expect((await run(resume)).status).toBe(0);
});
