// `centavo jobs void`: voids and deletes statements of an import, and keeps paid ones.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {payStatement} from '../../../src/sandbox/payments/pay-statement.js';
import {commandsIn} from '../../support/commands.js';
import {screenInProcess} from '../../support/in-process.js';
import {importing, importStage, jobsIn, stopAfter} from '../../support/scenarios/imports.js';
import {loaded} from '../../support/terminal.js';

type Wire = Record<string, any>;

const statusesOf = async (service: {statements: () => Promise<object[]>}): Promise<unknown[]> =>
  (await service.statements()).map((statement) => (statement as Wire).status).sort();

test('voids unpaid statements, keeps paid ones, and records it in the job', async () => {
  const {service, directory, file, run} = await importStage(3);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  const rows = (await run(['jobs', 'get', job!, '--json'])).json().rows as Wire[];
  service.sandbox.perform((work) => payStatement(work, rows[1]!.id));
  const dry = await run(['jobs', 'void', job!, '--dry-run', '--json']);
  expect(dry.rows().map(({id}: Wire) => id)).toEqual([rows[0]!.id, rows[2]!.id]);
  expect(await statusesOf(service)).toEqual(['open', 'open', 'paid']);
  const told = await run(['jobs', 'void', job!]);
  expect(told).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/\tvoid\t.*\n.*\tvoid\t/),
    stderr: expect.stringMatching(new RegExp(`${rows[1]!.number} was paid on .*\\. Not changed\\.\n`)),
  });
  expect(told.stderr).toMatch(
    /void 2 open billing statements of ₱[\d,.]+ in all, created by job_\w+ from \S*june\.csv/,
  );
  expect(await statusesOf(service)).toEqual(['paid', 'void', 'void']);
  expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{id: job, state: 'ended', done: 3, void: 2}]);
  const shown = await run(['jobs', 'get', job!], {columns: 120});
  expect(shown.stdout).toContain('3 of 3 done');
  expect(shown.stdout).toMatch(/JUNE-0001 .* void .*\nJUNE-0002 .* paid /);
  expect(shown.stderr).toContain(
    'voids made elsewhere since then are not shown. To see the amounts owed: centavo owed',
  );
  expect(shown.stdout).toMatch(/2 void\.\n/);
  expect((await run(['history', '--limit', '1'], {columns: 120})).stdout).toContain('voided the import of june.csv');
  // A second run changes nothing, and the file can be imported again.
  const again = await run(['jobs', 'void', job!, '--json']);
  expect([again.status, again.rows()]).toEqual([0, []]);
  const why = `${job} has nothing left to void. Nothing was changed.\n`;
  expect((await run(['jobs', 'void', job!])).stderr).toContain(why);
  const sent = service.emails().size;
  const plan = await run(importing(file, '--dry-run'));
  expect(plan.stderr).toContain('1 of 3 statements is already billed and will be skipped.\n');
  expect(plan.stderr).toMatch(/^ {2}2 billing statements for 2 customers\n {2}Total ₱[\d,.]+, 4 items\n/m);
  const anew = await run(importing(file, '--yes'), {columns: 100});
  expect(anew.status).toBe(0);
  expect(await statusesOf(service)).toEqual(['open', 'open', 'paid', 'void', 'void']);
  expect(service.emails().size).toBe(sent + 2);
});

test('voids the replacement of a replaced statement, and names what was settled', async () => {
  const {service, directory, file, run} = await importStage(4);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  const [cash, replaced, twice] = (await run(['jobs', 'get', job!, '--json'])).json().rows as Wire[];
  const bill = (...words: string[]) => run(['billing-statements', ...words, '--yes', '--json']);
  await bill('settle', cash!.id, '--paid-outside', 'cash');
  const reissued = async (id: string, due: string): Promise<Wire> => (await bill('reissue', id, '--due', due)).json();
  const replacement = await reissued(replaced!.id, '+20d');
  const last = await reissued((await reissued(twice!.id, '+20d')).id, '+30d');
  const told = await run(['jobs', 'void', job!, '--yes']);
  expect(told.status).toBe(0);
  expect(told.stderr).toMatch(new RegExp(`${cash!.number} was paid outside the service on .*: cash\\. Not changed\\.`));
  expect(told.stderr).toContain(`was replaced by ${replacement.billing_statement_number}. Not changed.`);
  expect(told.stderr).toContain('void 3 open billing statements');
  expect(told.stdout).toContain(last.id);
  expect(new Set(await statusesOf(service))).toEqual(new Set(['void']));
  const again = await run(['jobs', 'void', job!]);
  expect(again).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('has nothing left to void. Nothing was changed.'),
  });
});

test('keeps a statement whose payment is being processed', async () => {
  const {service, directory, file, run} = await importStage(2);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  const [first] = (await run(['jobs', 'get', job!, '--json'])).json().rows as Wire[];
  service.sandbox.perform((tx) => {
    const {_payment_intent_id: intent} = tx.peek(first!.id) as Wire;
    tx.change(tx.peek(intent)!, {status: 'processing'});
  });
  const told = await run(['jobs', 'void', job!, '--yes']);
  expect(told.stderr).toContain(`${first!.number} is being paid: `);
  expect(await statusesOf(service)).toEqual(['open', 'void']);
});

test('deletes drafts and keeps customers', async () => {
  const {service, directory, file, run} = await importStage(2);
  expect((await run(['billing-statements', 'import', file, '--yes'])).status).toBe(0);
  const [job] = jobsIn(directory);
  const ids = ((await run(['jobs', 'get', job!, '--json'])).json().rows as Wire[]).map(({id}) => id);
  const result = (await run(['jobs', 'void', job!, '--yes', '--json'])).rows();
  expect(result).toEqual(ids.map((id) => ({id, resource: 'billing_statement', deleted: true})));
  expect(await service.statements()).toEqual([]);
  expect((await run(['customers', 'list', '--json'])).json().data).toHaveLength(2);
  expect((await run(['jobs', 'get', job!, '--json'])).json()).toMatchObject({
    void: 2,
    rows: [{status: 'deleted'}, {status: 'deleted'}],
  });
});

test('keeps and names statements that changed after the list; running it again finishes the rest', async () => {
  const {service, directory, file, run} = await importStage(4);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  const rows = (await run(['jobs', 'get', job!, '--json'])).json().rows as Wire[];
  service.faults = {
    onChange: (nth) => nth === 1 && service.sandbox.perform((work) => payStatement(work, rows[1]!.id)),
    refuses: (request) => (request.includes(rows[2]!.id) ? 'Not today.' : undefined),
  };
  const {status, stdout, stderr} = await run(['jobs', 'void', job!, '--yes', '--json']);
  expect(status).toBe(11);
  expect(JSON.parse(stdout).data.map(({id}: Wire) => id)).toEqual([rows[0]!.id, rows[3]!.id]);
  const {error} = JSON.parse(stderr.trim().split('\n').at(-1)!);
  expect(error).toMatchObject({
    exit_code: 11,
    applied: 'yes',
    message: '2 of 4 failed. 2 of 4 were changed.',
    hint: `To void the rest: centavo jobs void ${job}`,
    results: [
      {id: rows[1]!.id, code: 'rejected', applied: 'no'},
      {id: rows[2]!.id, applied: 'no'},
    ],
  });
  expect(await statusesOf(service)).toEqual(['open', 'paid', 'void', 'void']);
  service.faults = {};
  expect((await run(['jobs', 'void', job!, '--yes'])).status).toBe(0);
  expect(await statusesOf(service)).toEqual(['paid', 'void', 'void', 'void']);
});

test('a stopped void is finished by running it again', async () => {
  const {service, directory, file, run} = await importStage(4);
  expect((await run(importing(file, '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  const stopped = await run(['jobs', 'void', job!, '--yes'], stopAfter(service, 2));
  expect(stopped).toMatchObject({status: 130, stderr: expect.stringContaining(`centavo jobs void ${job}\n`)});
  service.faults = {};
  expect((await run(['jobs', 'void', job!, '--yes'])).status).toBe(0);
  expect(await statusesOf(service)).toEqual(Array(4).fill('void'));
});

test('refuses an unfinished job until it is abandoned; its statements are not created again', async () => {
  const {service, directory, file, run} = await importStage(2);
  await run(importing(file, '--yes'), stopAfter(service, 5));
  service.faults = {};
  const [job] = jobsIn(directory);
  const refused = await run(['jobs', 'void', job!, '--yes', '--json']);
  expect(refused.error()).toMatchObject({
    code: 'job_not_done',
    exit_code: 12,
    applied: 'no',
    hint: `To abandon the remaining rows: centavo jobs remove ${job}`,
  });
  expect((await run(['jobs', 'remove', job!, '--yes'])).status).toBe(0);
  expect((await run(['jobs', 'void', job!, '--yes'])).status).toBe(0);
  expect((await service.statements()).filter(({status}) => status !== 'void')).toEqual([]);
});

test('changes nothing in another account or mode', async () => {
  const {service, directory, file, run} = await importStage(2, {live: true});
  expect((await run(importing(file, '--live', '--yes'))).status).toBe(0);
  const [job] = jobsIn(directory);
  expect((await run(['jobs', 'void', job!, '--yes', '--json'])).error()).toMatchObject({code: 'live_not_given'});
  expect((await run(['jobs', 'void', job!, '--live', '--json'])).error()).toMatchObject({code: 'cannot_confirm'});
  const elsewhere = await commandsIn(directory)(['jobs', 'void', job!, '--yes', '--json']);
  expect(elsewhere.error()).toMatchObject({code: 'other_account', hint: expect.stringContaining('jobs void')});
  expect(await statusesOf(service)).toEqual(['open', 'open']);
  expect((await run(['jobs', 'void', '--live', '--yes', '--json'])).error()).toMatchObject({
    code: 'missing_argument',
    hint: 'To list jobs: centavo jobs list',
  });
  expect((await run(['jobs', 'void', job!, '--live', '--yes'])).status).toBe(0);
  expect(await statusesOf(service)).toEqual(['void', 'void']);
});

test('records nothing after a reset of the sandbox', async () => {
  const {directory, text} = await importStage(1);
  const file = join(directory, 'july.csv');
  writeFileSync(file, text);
  const run = commandsIn(directory);
  expect((await run(['billing-statements', 'import', file, '--yes'])).status).toBe(0);
  expect((await run(['sandbox', 'reset', '--yes'])).status).toBe(0);
  const [job] = jobsIn(directory);
  const refused = await run(['jobs', 'void', job!, '--yes', '--json']);
  expect(refused.error()).toMatchObject({code: 'other_account', exit_code: 12, applied: 'no'});
  expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{id: job, void: 0}]);
});

test.skipIf(!loaded.pty)(
  'at a terminal the only job is found, its statements are shown, and No leaves them',
  async () => {
    const {directory, text} = await importStage(2);
    const file = join(directory, 'july.csv');
    writeFileSync(file, text);
    const run = commandsIn(directory);
    expect((await run(['billing-statements', 'import', file, '--finalize', '--yes'])).status).toBe(0);
    const [job] = jobsIn(directory);
    const asked = screenInProcess(directory, ['jobs', 'void'], {columns: 120, now: null});
    await asked.until(
      /sandbox: void 2 open billing statements of ₱[\d,.]+ in all, created by job_\w+ from july\.csv\? \(y\/N\)/,
    );
    const shown = await asked.text();
    expect(shown).toContain(`${job}, ${file}:`);
    expect(shown.match(/\bopen\b.*bstm_/g)).toHaveLength(2);
    asked.type('\r');
    expect(await asked.ended).toBe(12);
    expect((await run(['jobs', 'list', '--json'])).rows()).toMatchObject([{void: 0}]);
  },
);
