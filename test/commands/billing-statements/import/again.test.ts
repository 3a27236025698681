// The same file again: later, by another way, after something went wrong.

import {readdirSync, renameSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {payStatement} from '../../../../src/sandbox/payments/pay-statement.js';
import {openDatabase} from '../../../../src/storage/sqlite.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {wordsOf} from '../../../support/words.js';
import {importFile, importService, type ImportService} from '../../../support/services/import-service.js';

const DAY = 86_400_000;
const COUNT = 2;

async function stage(change: (text: string) => string = (text) => text) {
  const service = await importService();
  current = service;
  onTestFinished(() => service.close());
  const directory = temporaryDirectory();
  const file = join(directory, 'june.csv');
  const text = change(importFile(COUNT).text);
  writeFileSync(file, text);
  const run = commandsIn(directory, {pace: 0.001, env: service.env});
  const importing = (...flags: string[]) => ['billing-statements', 'import', file, '--yes', ...flags];
  const jobs = (): string[] =>
    readdirSync(join(directory, 'jobs')).flatMap((name) =>
      name.endsWith('.db') ? [name.slice(0, -'.db'.length)] : [],
    );
  const job = (): string => jobs()[0]!;
  return {service, directory, file, text, run, importing, job, jobs};
}
/** Fast time, so that a run gives up at once. */
const flying = () => {
  const began = Date.now();
  return {now: () => began + (Date.now() - began) * 200};
};
/** Both clocks, days later. */
const later = (days: number) => {
  current!.clock.ahead = (days * DAY) / 1000;
  return {now: () => Date.now() + days * DAY};
};
let current: ImportService | undefined;

test('sends days later a statement finalized with a relative due date', async () => {
  const {service, run, importing} = await stage((text) => text.replaceAll('2031-12-15', '+30d'));
  expect((await run(importing('--finalize'))).status).toBe(0);
  const sent = await run(importing('--send'), later(2));
  expect(sent).toMatchObject({status: 0, stdout: expect.stringMatching(/^2 of 2 sent/)});
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test.each([
  ['without dates', '', 0],
  ['whose dates have passed since', '2031-12-15', 1],
])('a file %s is known again days later with the same --due', async (_, date, first) => {
  const {service, run, importing} = await stage((text) =>
    text
      .replace(/JUNE-000/g, '')
      .replaceAll('2031-12-15', date)
      .replace(/^[^,]*,/gm, ''),
  );
  // The first time, dates that are still to come stay.
  expect(await run(importing('--send', '--due', '+30d'))).toMatchObject({status: 0});
  const billed = service.emails().size;
  expect(await run(importing('--send', '--due', '+30d'), later(first * 2000 + 2))).toMatchObject({status: 12});
  expect(service.emails().size).toBe(billed);
});

test('does not say that a draft without a due date has the same one', async () => {
  const {run, importing} = await stage((text) => text.replaceAll('2031-12-15', ''));
  expect((await run(importing())).status).toBe(0);
  const {stderr} = await run(importing('--send', '--due', '+30d'));
  expect(stderr).toMatch(/\(draft,\s+₱[\d,.]+\),\s+with\s+the\s+same\s+items\./);
});

test('does not resend a statement that was sent by hand', async () => {
  const {service, run, importing} = await stage();
  expect((await run(importing('--finalize'))).status).toBe(0);
  const [{id}] = (await service.statements()) as unknown as [{id: string}];
  expect((await run(['billing-statements', 'send', id])).status).toBe(0);
  const sent = await run(importing('--send'), later(60));
  expect(sent).toMatchObject({status: 0, stdout: expect.stringMatching(/^2 of 2 sent/)});
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test('neither counts nor voids statements of another import', async () => {
  const {service, file, text, run, importing, job, jobs} = await stage((csv) => csv.replaceAll('2031-12-15', '+30d'));
  const lines = text.split('\n');
  writeFileSync(file, lines.filter((line) => !line.startsWith('JUNE-0002')).join('\n'));
  expect((await run(importing('--send'))).stdout).toMatch(/^1 of 1 sent, ₱/);
  const first = job();
  writeFileSync(file, text);
  const {stdout, stderr} = await run(importing('--send'), later(1));
  expect(stdout).toMatch(/^1 of 1 sent, ₱3,001\.04\./);
  expect(stderr).toContain('1 of 2 statements is already billed and will be skipped.');
  const second = jobs().find((id) => id !== first)!;
  expect((await run(importing('--send', '--json'), later(2))).error()).toMatchObject({
    message: expect.stringContaining(`They are in ${second}.`),
  });
  expect((await run(['jobs', 'void', second, '--yes'])).status).toBe(0);
  const statuses = (await service.statements()) as unknown as {status: string; amount: number}[];
  expect(statuses.find(({amount}) => amount === 300_104)).toMatchObject({status: 'void'});
  expect(statuses.filter(({status}) => status === 'open')).toHaveLength(1);
});

test('names all jobs that have billed rows of the file', async () => {
  const {file, text, run, importing, jobs} = await stage();
  for (const other of ['JUNE-0002', 'JUNE-0001']) {
    writeFileSync(file, text.replace(new RegExp(`^${other}.*\n`, 'gm'), ''));
    expect((await run(importing('--send'))).stdout).toMatch(/^1 of 1 sent/);
  }
  writeFileSync(file, text);
  const {code, message} = (await run(importing('--send', '--json'), later(2))).error();
  expect(code).toBe('billed_before');
  for (const id of jobs()) expect(message).toContain(id);
});

test('sends drafts that were finalized in the second of their creation', async () => {
  const {service, directory, run, importing, job, jobs} = await stage();
  const inJob = (id: string, sql: string): void => {
    const database = openDatabase(join(directory, 'jobs', `${id}.db`));
    database.exec(sql);
    database.close();
  };
  expect((await run(importing())).status).toBe(0);
  // The last by name: jobs of one second have no order.
  const [drafts, last] = [job(), 'job_zzzzzzzzzz'];
  inJob(drafts, `UPDATE job SET id = '${last}', created_at = 1`);
  renameSync(join(directory, 'jobs', `${drafts}.db`), join(directory, 'jobs', `${last}.db`));
  expect((await run(importing('--finalize'))).status).toBe(0);
  inJob(
    jobs().find((id) => id !== last)!,
    'UPDATE job SET created_at = 1',
  );
  expect(await run(importing('--send'))).toMatchObject({status: 0, stdout: expect.stringMatching(/^2 of 2 sent/)});
  expect([...service.emails().values()]).toEqual([1, 1]);
});

test('reports a statement paid during the import as done, not as sent', async () => {
  const {service, run, importing} = await stage();
  expect((await run(importing('--finalize'))).status).toBe(0);
  const [{id}] = (await service.statements()) as unknown as [{id: string}];
  service.sandbox.perform((work) => payStatement(work, id));
  const sent = await run(importing('--send'));
  expect(sent).toMatchObject({status: 0, stdout: expect.stringMatching(/^1 of 1 sent, ₱/)});
  expect(sent.stderr).toContain('1 of 2 statements is already billed and will be skipped.');
});

test('the same file sends or finalizes its drafts; without --send it says how', async () => {
  const {service, file, run, importing} = await stage();
  expect((await run(importing())).status).toBe(0);
  const again = await run(importing());
  expect(again).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^Nothing new was created: both rows were created on/),
  });
  expect(again.stderr).toContain(`To send them: centavo import ${file} --send`);
  const refused = (await run([...importing(), '--json'], later(2))).error();
  expect(refused).toMatchObject({
    code: 'billed_before',
    message: expect.stringContaining('Still drafts: 2.'),
    hint: `To send them: centavo import ${file} --send`,
    next: [
      ['import', file, '--send'],
      ['jobs', 'get', expect.stringMatching(/^job_/)],
    ],
  });
  const [{id}] = (await service.statements()) as unknown as [{id: string}];
  expect((await run(['billing-statements', 'finalize', id])).status).toBe(0);
  expect((await run([...importing(), '--json'], later(4))).error().message).toContain('Still drafts: 1.');
  const finalized = await run(importing('--finalize'));
  expect(finalized).toMatchObject({status: 0, stdout: expect.stringMatching(/^1 of 1 finalized/)});
  expect((await run([...importing('--finalize'), '--json'], later(6))).error()).toMatchObject({
    code: 'billed_before',
    hint: expect.stringContaining('To see them: centavo jobs get job_'),
  });
});

test('compares external ids regardless of the form of accents and spaces', async () => {
  const {run, importing, file, text} = await stage((csv) => csv.replaceAll('JUNE-', 'Niño '));
  expect((await run(importing('--send'))).status).toBe(0);
  writeFileSync(file, text.replaceAll('Niño ', 'Nin\u0303o\u00a0 '));
  const again = await run([...importing('--send'), '--json']);
  expect(again.json()).toMatchObject({already: true, created: 0});
});

test('a run that loses the connection after a change exits with a code that allows for changes', async () => {
  const {service, run, importing, job} = await stage();
  // Responses to the first changes, which create customers, are lost; then the service is unreachable.
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

test('ends the run early if the service refuses every call', async () => {
  const {service, run, importing} = await stage();
  service.faults = {onChange: () => (service.faults = {perSecond: 0})};
  const cut = await run([...importing('--send'), '--json', '--timeout', '1s'], flying());
  expect(JSON.parse(cut.stderr.trim().split('\n').at(-1)!).error).toMatchObject({
    ...{code: 'rate_limited', exit_code: 11, applied: 'yes'},
    next: [['jobs', 'resume', expect.stringMatching(/^job_/)]],
  });
});

test('does not resume a job that was never confirmed', async () => {
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

test('explains a reset of the sandbox and does not suggest the same account', async () => {
  const {directory, file, job} = await stage();
  const run = commandsIn(directory);
  expect((await run(['billing-statements', 'import', file, '--yes'])).status).toBe(0);
  expect((await run(['sandbox', 'reset', '--yes'])).status).toBe(0);
  const resumed = await run(['jobs', 'resume', job(), '--yes']);
  expect(resumed).toMatchObject({status: 12, stderr: expect.stringContaining('The sandbox was reset.')});
  expect(resumed.stderr).not.toContain('--profile');
});

const HEADER = 'Invoice No,Email,Name,Item,Qty,Price,Due';

test('explains the differences of a changed row and suggests a correction', async () => {
  const directory = temporaryDirectory();
  const run = commandsIn(directory);
  const write = (...rows: string[]): void =>
    writeFileSync(join(directory, 'june.csv'), [HEADER, ...rows, ''].join('\n'));
  const bill = ['billing-statements', 'import', join(directory, 'june.csv'), '--send', '--yes', '--json'];
  write(
    'N-1,ana@example.com,Ana,Rent,1,500,2031-12-15',
    'N-1,,,Water,2,75,',
    'N-2,ben@example.com,Ben,Rent,1,600,2031-12-15',
    'N-3,carla@example.com,Carla,Rent,1,700,2031-12-15',
  );
  expect((await run(bill)).status).toBe(0);
  const statements = (await run(['billing-statements', 'list', '--json'])).json().data as Record<string, any>[];
  const of = (number: string) => statements.find(({metadata}) => metadata.external_id === number)!;
  expect((await run(['sandbox', 'pay', of('N-2').id, '--method', 'gcash'])).status).toBe(0);
  write(
    'N-1,ana@example.com,Ana,Rent,1,550,2031-12-20',
    'N-1,,,-1 day off,1,75,',
    'N-2,ben@example.com,Ben,Rent,1,650,2031-12-15',
    'N-3,ana@example.com,Ana,Rent,1,700,2031-12-15',
    'N-4,ben@example.com,Ben,Rent,1,800,2031-12-15',
  );
  const {faults} = (await run(bill)).error() as unknown as {faults: Record<string, string>[]};
  const numbers = Object.fromEntries(statements.map((each) => [each.id, each.billing_statement_number]));
  const [first, second, third] = ['N-1', 'N-2', 'N-3'].map((number) => numbers[of(number).id]);
  expect(faults.map(({line, code, problem, fix}) => ({line, code, problem, fix}))).toEqual([
    {
      line: 2,
      code: 'duplicate_statement',
      problem: `N-1 was billed before as ${first} (open, ₱650.00), with other content: "Rent" 1 × ₱500.00 is 1 × ₱550.00 now, "Water" 2 × ₱75.00 is "-1 day off" 1 × ₱75.00 now, it is due 20 Dec 2031 instead of 15 Dec 2031.`,
      fix: `Replace it, then run the same command again: centavo reissue ${first} --item 'Rent x1 @ 550.00' --item ' -1 day off x1 @ 75.00' --due 2031-12-20 --send`,
    },
    {
      line: 4,
      code: 'duplicate_statement',
      problem: `N-2 was billed before as ${second} (paid, ₱600.00), with other content: "Rent" 1 × ₱600.00 is 1 × ₱650.00 now.`,
      fix: 'Change the row back to what was billed. Give an additional bill its own number.',
    },
    {
      line: 5,
      code: 'duplicate_statement',
      problem: `N-3 was billed before as ${third} (open, ₱700.00), with other content: it bills another customer.`,
      fix: `If it is wrong, void it, then run the same command again: centavo void ${third}`,
    },
  ]);
  // At a terminal a command has its own line, so that it can be copied.
  const told = await run(bill.slice(0, -1), {columns: 80});
  expect(told.stderr).toContain(`\n    ${faults[0]!.fix!.replace(': centavo ', ':\n    centavo ')}\n`);
  for (const {fix} of [faults[0]!, faults[2]!]) {
    const [words] = wordsOf(fix!.slice(fix!.indexOf(': centavo ') + ': centavo '.length));
    expect(await run([...words!, '--yes'])).toMatchObject({status: 0});
  }
  const again = (await run(bill)).error() as unknown as {faults: Record<string, string>[]};
  expect(again.faults.map(({problem}) => problem)).toEqual([expect.stringContaining('N-2 was billed before')]);
  // A draft with other content is deleted, not replaced.
  write('N-5,ben@example.com,Ben,Rent,1,900,2031-12-15');
  expect((await run(bill.filter((word) => word !== '--send'))).status).toBe(0);
  write('N-5,ben@example.com,Ben,Rent,1,950,2031-12-15');
  expect((await run(bill)).error()).toMatchObject({
    hint: expect.stringMatching(/run the same command again: centavo billing-statements delete bstm_\w+$/),
  });
});

test('without numbers, identifies rows by their content in any order, including duplicates', async () => {
  const {service, file, run, importing} = await stage();
  const [header, ana, ben] = ['Customer,Item,Price,Due', 'ana maria,Rent,500,2031-12-15', 'Ben,Rent,500,2031-12-15'];
  const made = [
    'Item,Price,Email,Name,Due',
    'Key,50,ana@example.com,Ana María,2031-12-15',
    'Key,50,ben@example.com,Ben,2031-12-15',
  ];
  writeFileSync(file, made.join('\n'));
  expect((await run(importing('--send'))).status).toBe(0);
  writeFileSync(file, [header, ana, ben, ana].join('\n'));
  expect((await run([...importing('--send'), '--json'])).error()).toMatchObject({code: 'invalid_file'});
  expect((await run(importing('--send', '--allow-duplicate'))).status).toBe(0);
  expect(await service.statements()).toHaveLength(5);
  writeFileSync(file, [header, ben, ana.toUpperCase().replace('RENT', 'Rent'), ana].join('\n'));
  const again = await run([...importing('--send', '--allow-duplicate'), '--json']);
  expect(again.json()).toMatchObject({already: true, created: 0});
  writeFileSync(file, [header, ben, ana, ana, ben.replace('500', '510')].join('\n'));
  expect((await run(importing('--send', '--allow-duplicate'))).status).toBe(0);
  const all = (await service.statements()) as unknown as {amount: number; metadata: object}[];
  expect(all.map(({amount}) => amount).sort()).toEqual([5000, 5000, 50_000, 50_000, 50_000, 51_000]);
  expect(all.filter(({metadata}) => 'external_id' in metadata)).toEqual([]);
  expect([...service.emails().values()]).toEqual(Array(6).fill(1));
});

test('does not bill a settled row again, with numbers or without', async () => {
  const {service, file, text, run, importing} = await stage();
  const settle = async (reference: unknown) =>
    expect((await run(['billing-statements', 'settle', String(reference), '--paid-outside', 'cash'])).status).toBe(0);
  const statusesNow = async () =>
    (await service.statements()).map((each) => (each as {status?: unknown}).status).sort();
  expect((await run(importing('--finalize'))).status).toBe(0);
  const [{id}] = (await service.statements()) as unknown as [{id: string}];
  await settle(id);
  expect(await run(importing('--send'))).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^1 of 1 sent, ₱/),
    stderr: expect.stringContaining('1 of 2 statements is already billed'),
  });
  expect(await statusesNow()).toEqual(['open', 'void']);
  writeFileSync(file, text.replaceAll('2031-12-15', '2031-12-16'));
  const changed = await run([...importing('--send'), '--json']);
  expect(changed.error()).toMatchObject({code: 'invalid_file', message: expect.stringContaining('2 faults')});

  writeFileSync(file, 'Item,Price,Email,Name,Due\nKey,50,new@example.com,New,2031-12-15');
  expect((await run(importing('--finalize'))).status).toBe(0);
  await settle('new@example.com');
  expect((await run([...importing('--finalize'), '--json'])).json()).toMatchObject({already: true, created: 0});
  expect(await statusesNow()).toEqual(['open', 'void', 'void']);
});

test('without numbers, does not bill a row again whose statement was replaced', async () => {
  const {service, file, run, importing} = await stage();
  const sheet = 'Item,Price,Email,Name,Due\nKey,50,ana@example.com,Ana,2031-12-15\n';
  const reissue = async (id: string, price: number) =>
    expect(await run(['billing-statements', 'reissue', id, '--item', `Key @ ${price}`, '--yes'])).toMatchObject({
      status: 0,
    });
  writeFileSync(file, sheet);
  expect((await run(importing('--finalize'))).status).toBe(0);
  const openIds = async () =>
    ((await service.statements()) as unknown as {id: string; status: string}[])
      .filter(({status}) => status === 'open')
      .map(({id}) => id);
  const [first] = await openIds();
  await reissue(first!, 45);
  await reissue((await openIds())[0]!, 40);
  const [last] = await openIds();
  writeFileSync(file, `${sheet}Key,50,ben@example.com,Ben,2031-12-15`);
  const again = await run(importing('--finalize'));
  expect(again.status).toBe(2);
  expect(again.stderr).toMatch(
    /line 2: It was reissued as \S+ \(open, ₱40\.00\), with other content.*If the bill is right, correct the sheet\./,
  );
  expect(await service.statements()).toHaveLength(3);
  // When that is void too, no statement bills the row.
  expect((await run(['billing-statements', 'void', last!, '--yes'])).status).toBe(0);
  expect((await run(importing('--finalize'))).status).toBe(0);
  expect(await openIds()).toHaveLength(2);
});
