// Imports beside others: the same file twice, on one machine or two, and existing statements.

import {expect, test} from 'vitest';
import {cli} from '../../../support/cli.js';
import {importing, importStage, jobsIn, machineWith, stopAfter} from '../../../support/scenarios/imports.js';
import {screen} from '../../../support/screen.js';
import {loaded} from '../../../support/terminal.js';

test('refuses a file whose import has begun; after abandoning and importing again, each row is billed once', async () => {
  const {service, directory, file, amounts, run} = await importStage(4);
  // It stops at the first customer: nothing in the account identifies it to the next import.
  // With one call at a time, none reaches the service after the command has stopped.
  expect((await run(importing(file, '--yes', '--concurrency', '1'), stopAfter(service, 1))).status).toBe(130);
  const [first] = jobsIn(directory);
  expect(await service.statements()).toEqual([]);
  // Another plan for the same rows.
  let changes = 0;
  service.faults = {onChange: () => void changes++};
  const again = await run(['billing-statements', 'import', file, '--finalize', '--yes', '--json']);
  expect(again.error()).toMatchObject({code: 'begun_before', applied: 'no', needs_person: true, job: first});
  expect(again.error().next).toEqual([['jobs', 'get', first]]);
  expect(again.error().hint).toContain(`jobs resume ${first}`);
  expect(changes).toBe(0);
  service.faults = {};
  expect(jobsIn(directory)).toEqual([first]);
  expect((await run(['jobs', 'remove', first!, '--yes'])).status).toBe(0);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const resumed = await run(['jobs', 'resume', first!, '--yes']);
  expect(resumed).toMatchObject({status: 0, stderr: expect.stringContaining('4 of 4 statements are already billed')});
  expect(await service.wrong(amounts)).toEqual([]);
  expect([...service.emails().values()]).toEqual([1, 1, 1, 1]);
  const done = await run(importing(file, '--yes', '--json'));
  expect(done.json()).toMatchObject({already: true, created: 0});
});

test.skipIf(!loaded.pty)('refuses one of two confirmed imports of one file', async () => {
  const {service, env, directory, file, amounts} = await importStage(4);
  const second = screen(directory, importing(file), {columns: 160, now: null, env});
  await second.until(/create, finalize and send 4 billing statements of .*\(y\/N\)/);
  let begun = (): void => {};
  const isBegun = new Promise<void>((resolve) => (begun = resolve));
  service.faults = {latency: 200, onChange: () => begun()};
  const first = cli(directory, {env})(importing(file, '--yes'));
  await isBegun;
  second.type('y\r');
  expect(await second.ended).toBe(12);
  expect(await second.text()).toMatch(/JUNE-0001 is also in job_\w+, which is running\./);
  service.faults = {};
  expect((await first).status).toBe(0);
  expect(jobsIn(directory)).toHaveLength(1);
  expect(await service.wrong(amounts)).toEqual([]);
});

test('--adopt continues another machine’s import; neither resends a statement that may have been sent', async () => {
  const {service, env, directory, file, text, amounts, run} = await importStage(6);
  // Five customers, six drafts with nine items, six due dates; then it finalizes and sends one after the other.
  const one = importing(file, '--yes', '--concurrency', '1');
  expect((await run(one, stopAfter(service, 31))).status).toBe(130);
  const opened = (await service.statements()).filter(({status}) => status === 'open').length;
  const sent = service.emails().size;
  expect([opened > sent, sent > 0, opened < 6], `${opened} opened, ${sent} sent`).toEqual([true, true, true]);
  const other = machineWith(text, env);
  const refused = await other.run(importing(other.file, '--yes', '--json'));
  expect(refused.error()).toMatchObject({
    code: 'made_elsewhere',
    applied: 'no',
    needs_person: true,
  });
  const dry = await other.run(importing(other.file, '--dry-run', '--json'));
  expect(dry.rows().filter(({exists}: {exists: unknown}) => exists !== null)).toHaveLength(6);
  const adopted = await other.run(importing(other.file, '--yes', '--adopt', '--json'));
  expect(adopted.status).toBe(11);
  expect(adopted.error().results.map(({code}: {code: string}) => code)).toEqual(Array(opened).fill('send_in_doubt'));
  expect([...service.emails().values()]).toEqual(Array(6 - opened + sent).fill(1));
  // This machine knows its own sends; the other machine may have sent the statements that it finalized.
  const resumed = await run(['jobs', 'resume', jobsIn(directory)[0]!, '--yes', '--json']);
  expect(resumed.status).toBe(11);
  expect(resumed.error().results).toHaveLength(6 - opened);
  expect(await service.wrong(amounts)).toEqual([]);
  expect([...service.emails().values()]).toEqual(Array(6).fill(1));
});

test('--adopt says what it saw of complete statements, and invites no second email', async () => {
  const {service, env, file, text, run} = await importStage(3);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const other = machineWith(text, env);
  const seen = '3 adopted: open, and whether they were emailed is not known';
  const adopted = await other.run(importing(other.file, '--yes', '--adopt'));
  expect(adopted).toMatchObject({status: 11, stdout: '3 of 3 adopted.\n'});
  expect(adopted.stderr).toContain(`Error: ${seen}.\n`);
  const [job] = jobsIn(other.directory);
  const again = await other.run(['jobs', 'resume', job!, '--yes']);
  const shown = await other.run(['jobs', 'get', job!], {columns: 200});
  expect(shown.stdout.match(/open, email unknown/g)).toHaveLength(3);
  const row = {sent: 'unknown', error_code: 'adopted', error: 'Adopted: open. Whether it was emailed is not known.'};
  expect((await other.run(['jobs', 'get', job!, '--json'])).json().rows).toEqual(
    Array(3).fill(expect.objectContaining(row)),
  );
  for (const {stdout, stderr} of [adopted, again, shown])
    expect(stdout + stderr).not.toMatch(/0 of 3 sent|may have been sent|send (it|them) again/);
  expect([...service.emails().values()]).toEqual([1, 1, 1]);
});

test.skipIf(!loaded.pty)('asks at a terminal whether the other run has ended', async () => {
  const {service, env, file, text, run} = await importStage(2);
  expect((await run(importing(file, '--yes'), stopAfter(service, 6))).status).toBe(130);
  const other = machineWith(text, env);
  const asked = screen(other.directory, importing(other.file), {columns: 160, now: null, env});
  await asked.until(/2 statements of this file already exist, created by another run\. Has that run ended\? \(y\/N\)/);
  asked.type('y\r');
  await asked.until(/complete, finalize and send 2 billing statements of .*\(y\/N\)/);
  asked.type('n\r');
  expect(await asked.ended).toBe(12);
  expect(jobsIn(other.directory)).toEqual([]);
});

test('reports an open statement with the same customer, items and due date before any change', async () => {
  const {service, env, file, text, amounts, run} = await importStage(4);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const byOthers = machineWith(text.replaceAll('JUNE', 'BILL'), env);
  const refused = await byOthers.run(importing(byOthers.file, '--yes', '--json'));
  expect(refused).toMatchObject({status: 2, stdout: ''});
  const {faults} = refused.error();
  expect(faults.map(({line, value, code}: Record<string, unknown>) => [line, value, code])).toEqual([
    [2, 'BILL-0001', 'duplicate_statement'],
    [4, 'BILL-0002', 'duplicate_statement'],
    [5, 'BILL-0003', 'duplicate_statement'],
    [7, 'BILL-0004', 'duplicate_statement'],
  ]);
  const said = await byOthers.run(importing(byOthers.file, '--yes'));
  expect(said.stderr).toMatch(
    /^ {2}line 2, column "External ID", "BILL-0001": \S+ \(open, ₱1,059\.03\) bills the same customer for the same items and due date\. Remove the row\./m,
  );
  // The due date is compared only if the file has one.
  const undated = machineWith(text.replaceAll('JUNE', 'BILL').replaceAll(/,2031-12-15/g, ','), env);
  expect((await undated.run(['billing-statements', 'import', undated.file, '--yes'])).stderr).toMatch(
    /^ {2}line 2, column "External ID", "BILL-0001": \S+ \(open, ₱1,059\.03\) bills the same customer for the same items\. Remove the row/m,
  );
  expect(jobsIn(byOthers.directory)).toEqual([]);
  expect(await service.wrong(amounts)).toEqual([]);
  // The same external id with other content is a duplicate too; another day or a void statement is not.
  const changed = machineWith(text.replaceAll('Item 1', 'Rent'), env);
  expect((await changed.run(importing(changed.file, '--yes', '--json'))).error().faults[0].problem).toMatch(
    /^JUNE-0001 was billed before as \S+ \(open, ₱1,059\.03\), with other content: "Item 1" 1 × ₱999\.00 is "Rent" 1 × ₱999\.00 now\.$/,
  );
  const july = machineWith(text.replaceAll('JUNE', 'JULY').replaceAll('12-15', '12-16'), env);
  expect((await july.run(importing(july.file, '--dry-run'))).status).toBe(0);
  for (const {id} of await service.statements()) await run(['billing-statements', 'void', id, '--yes']);
  expect((await byOthers.run(importing(byOthers.file, '--dry-run'))).status).toBe(0);
});

test('--allow-duplicate bills it again, also after resume', async () => {
  const {service, env, file, text, run} = await importStage(2);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const again = machineWith(text.replaceAll('JUNE', 'BILL'), env);
  // The second row is not begun.
  const one = importing(again.file, '--yes', '--allow-duplicate', '--concurrency', '1');
  const stopped = await again.run(one, stopAfter(service, 1));
  expect(stopped.status).toBe(130);
  expect((await again.run(['jobs', 'resume', jobsIn(again.directory)[0]!, '--yes'])).status).toBe(0);
  expect(service.emails().size).toBe(4);
});
