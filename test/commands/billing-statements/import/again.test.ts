// The same file again: later, by another way, after something went wrong.

import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {pay} from '../../../../src/sandbox/paying/payer.js';
import {openDatabase} from '../../../../src/storage/sqlite.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {importFile, importService} from '../../../support/services/import-service.js';

const DAY = 86_400_000;
const COUNT = 2;

async function stage(change: (text: string) => string = (text) => text) {
  const service = await importService();
  onTestFinished(() => service.close());
  const directory = temporaryDirectory();
  const file = join(directory, 'june.csv');
  const text = change(importFile(COUNT).text);
  writeFileSync(file, text);
  const run = commandsIn(directory, {pace: 0.001, env: service.env});
  const importing = (...flags: string[]) => ['billing-statements', 'import', file, '--yes', ...flags];
  const job = (): string => readdirSync(join(directory, 'jobs'))[0]!.slice(0, -'.db'.length);
  return {service, directory, file, text, run, importing, job};
}
/** Time flies: nobody wants to wait until a run gives a service up. */
const flying = () => {
  const began = Date.now();
  return {now: () => began + (Date.now() - began) * 200};
};
const later = (days: number) => ({now: () => Date.now() + days * DAY});

test('what was finalized with a due date such as +30d is sent days later with the same file', async () => {
  const {service, run, importing} = await stage((text) => text.replaceAll('2031-12-15', '+30d'));
  expect((await run(importing('--finalize'))).status).toBe(0);
  const sent = await run(importing('--send'), later(2));
  expect(sent).toMatchObject({status: 0, stdout: expect.stringMatching(/^2 of 2 sent/)});
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test('what was sent by hand long before an import sends the rest is not sent again', async () => {
  const {service, run, importing} = await stage();
  expect((await run(importing('--finalize'))).status).toBe(0);
  const [{id}] = (await service.statements()) as unknown as [{id: string}];
  expect((await run(['billing-statements', 'send', id])).status).toBe(0);
  const sent = await run(importing('--send'), later(60));
  expect(sent).toMatchObject({status: 0, stdout: expect.stringMatching(/^2 of 2 sent/)});
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test('what is paid meanwhile is done, and not called sent', async () => {
  const {service, run, importing} = await stage();
  expect((await run(importing('--finalize'))).status).toBe(0);
  const [{id}] = (await service.statements()) as unknown as [{id: string}];
  service.sandbox.perform((work) => pay(work, id));
  const sent = await run(importing('--send'));
  expect(sent).toMatchObject({status: 0, stdout: expect.stringMatching(/^1 of 2 sent, 1 already paid, ₱/)});
});

test('an external id that another program writes with other accents and blanks is the same', async () => {
  const {run, importing, file, text} = await stage((csv) => csv.replaceAll('JUNE-', 'Niño '));
  expect((await run(importing('--send'))).status).toBe(0);
  writeFileSync(file, text.replaceAll('Niño ', 'Nin\u0303o\u00a0 '));
  const again = await run([...importing('--send'), '--json']);
  expect(again.error()).toMatchObject({code: 'imported_before', applied: 'no'});
});

test('a run that is cut off after it changed something does not end with a code that promises that nothing was', async () => {
  const {service, run, importing, job} = await stage();
  // The answers to the first changes, which make customers, are lost; then nothing is reached.
  service.faults = {reset: 1, onChange: () => (service.cut = true)};
  const cut = await run([...importing('--send'), '--json', '--timeout', '1s'], flying());
  expect(cut.status).toBe(11);
  expect(JSON.parse(cut.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
    code: 'unavailable',
    applied: 'unknown',
  });
  service.faults = {};
  expect(await run(['jobs', 'resume', job(), '--yes', '--timeout', '1s'])).toMatchObject({
    status: 8,
    stderr: expect.stringMatching(/Nothing was changed\.\n {2}To continue: centavo jobs resume job_\w+\n$/),
  });
  service.cut = false;
  expect(await run(['jobs', 'resume', job(), '--yes'])).toMatchObject({status: 0});
  const customers = await run(['customers', 'list', '--json']);
  expect(customers.json().data).toHaveLength(2);
});

test('a service that turns everything away ends the run, which does not try each statement for minutes', async () => {
  const {service, run, importing} = await stage();
  service.faults = {onChange: () => (service.faults = {perSecond: 0})};
  const cut = await run([...importing('--send'), '--json', '--timeout', '1s'], flying());
  expect(JSON.parse(cut.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
    ...{code: 'rate_limited', exit_code: 11, applied: 'yes'},
    hint: expect.stringContaining('jobs resume'),
  });
});

test('a job that was killed before its file was confirmed is not gone on with', async () => {
  const {service, directory, run, importing, job} = await stage();
  expect((await run(importing())).status).toBe(0);
  const database = openDatabase(join(directory, 'jobs', `${job()}.db`));
  database.exec(`UPDATE job SET state = 'ready'; UPDATE row SET phase = 'planned', id = NULL`);
  database.close();
  const resumed = await run(['jobs', 'resume', job(), '--yes', '--json']);
  expect(resumed).toMatchObject({status: 12});
  expect(resumed.error()).toMatchObject({code: 'job_not_begun', applied: 'no'});
  expect(await service.statements()).toHaveLength(COUNT);
});

test('after a reset of the sandbox a job says that, and proposes no account that is the same', async () => {
  const {directory, file, job} = await stage();
  const run = commandsIn(directory);
  expect((await run(['billing-statements', 'import', file, '--yes'])).status).toBe(0);
  expect((await run(['sandbox', 'reset', '--yes'])).status).toBe(0);
  const resumed = await run(['jobs', 'resume', job(), '--yes']);
  expect(resumed).toMatchObject({status: 12, stderr: expect.stringContaining('The sandbox was reset.')});
  expect(resumed.stderr).not.toContain('--profile');
});
