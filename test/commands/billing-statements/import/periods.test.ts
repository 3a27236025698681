// The same file again, in the same month or another: killed, changed, on another machine, at a terminal.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {temporaryDirectory, type CliResult} from '../../../support/cli.js';
import {commandsIn, type CommandOptions} from '../../../support/commands.js';
import {screenInProcess} from '../../../support/in-process.js';
import {importing, jobsIn, stopAfter} from '../../../support/scenarios/imports.js';
import {importService, type ImportService} from '../../../support/services/import-service.js';
import {skippedOn} from '../../../support/skipped-time.js';
import {loaded} from '../../../support/terminal.js';
import {some} from '../../../support/test-size.js';

const HEADER = 'Invoice No.,Email,Name,Item,Price,Due';
const TENANTS = ['ana', 'ben', 'carla'];
const rowOf = (name: string, number: number, price = 5000 + number): string =>
  `${number},${name}@example.com,${name.toUpperCase()},Rent,${price},+30d`;
const sheet = (...rows: string[]): string => [HEADER, ...rows, ''].join('\n');
const RENT = sheet(...TENANTS.map((name, at) => rowOf(name, at + 1)));
/** Without the column of numbers. */
const unnumbered = (text: string): string => text.replace(/^[^,]*,/gm, '');

/** A machine on a service whose clock it sets. */
function machine(service: ImportService, text = RENT) {
  const directory = temporaryDirectory();
  const file = join(directory, 'rent.csv');
  const write = (next: string): void => writeFileSync(file, next);
  write(text);
  const at = {now: () => Date.now() + skippedOn(directory) + service.clock.ahead * 1000};
  const run = commandsIn(directory, {pace: 0.001, env: service.env});
  const bill = (more: readonly string[] = [], options: CommandOptions = {}): Promise<CliResult> =>
    run(importing(file, '--yes', ...more), {...at, ...options});
  const asked = (...more: string[]) =>
    screenInProcess(directory, importing(file, ...more), {
      ...{columns: 160, pace: 0.001, env: service.env},
      now: Math.floor(Date.now() / 1000) + service.clock.ahead,
    });
  return {directory, file, write, bill, asked, run: (argv: string[]) => run(argv, at)};
}

async function stage(text = RENT, day = '2031-01-03') {
  const service = await importService();
  onTestFinished(() => service.close());
  const goTo = (date: string): void => {
    service.clock.ahead = Math.floor(Date.parse(`${date}T10:03:30+08:00`) / 1000 - Date.now() / 1000);
  };
  goTo(day);
  /** Numbers of the bills that are not void, by payer. */
  const bills = async (): Promise<Record<string, number>> => {
    const all = (await service.statements()) as unknown as {status: string; customer: {name: string}}[];
    const count: Record<string, number> = {};
    for (const {status, customer} of all) if (status !== 'void') count[customer.name] = (count[customer.name] ?? 0) + 1;
    return count;
  };
  return {service, goTo, bills, ...machine(service, text)};
}

const MONTH = ['--period', 'month'] as const;
/** With one call at a time, none reaches the service after the command has stopped. */
const ALONE = ['--concurrency', '1'] as const;
const once = Object.fromEntries(TENANTS.map((name) => [name.toUpperCase(), 1]));
const twice = Object.fromEntries(TENANTS.map((name) => [name.toUpperCase(), 2]));

/** Changes of an import of three new customers: 3 customers, drafts, items, due dates, finalizes and sends. */
const CHANGES = Array.from({length: 18}, (_, index) => index + 1);

test.each([
  ['with numbers', RENT],
  ['without numbers', unnumbered(RENT)],
])('a rent roll %s, killed in January and February and run until it is done, bills each row twice', async (_, text) => {
  for (const changes of some(CHANGES, 4)) {
    const {service, goTo, bills, bill} = await stage(text);
    for (const day of ['2031-01-03', '2031-02-03']) {
      goTo(day);
      await bill(MONTH, stopAfter(service, changes));
      service.faults = {};
      const done = await bill(MONTH);
      // Only a send that was cut off is a person's decision, and stays so.
      if (done.status === 11) expect(done.stderr).toContain('may have been sent');
      else
        expect(await bill(MONTH), `${changes}: ${done.stderr}`).toMatchObject({
          status: 0,
          stdout: expect.stringContaining('Nothing new was billed'),
        });
    }
    expect(await bills(), String(changes)).toEqual(twice);
    expect(Math.max(...service.emails().values())).toBe(1);
  }
});

test('without a period, an unfinished January is no February; within 20 hours it goes on by itself', async () => {
  const {service, goTo, bills, bill, directory} = await stage();
  expect(await bill(ALONE, stopAfter(service, 7))).toMatchObject({status: 130});
  service.faults = {};
  const [id] = jobsIn(directory);
  goTo('2031-02-03');
  let changes = 0;
  service.faults = {onChange: () => void changes++};
  const refused = await bill(['--json']);
  expect(refused.error()).toMatchObject({
    ...{
      code: 'begun_before',
      exit_code: 12,
      retryable: false,
      needs_person: true,
      job: id,
      next: [['jobs', 'get', id]],
    },
    message: expect.stringMatching(/^rent\.csv was begun on 3 Jan at 10:03 and is not finished: 0 of 3 done\./),
    hint: `To continue it: centavo jobs resume ${id} (or abandon it: centavo jobs remove ${id})`,
  });
  // A period does not make it another file either.
  expect((await bill([...MONTH, '--json'])).error()).toMatchObject({code: 'begun_before', job: id});
  expect(changes).toBe(0);
  goTo('2031-01-04');
  service.clock.ahead -= 5 * 3600;
  const done = await bill();
  expect(done, done.stderr).toMatchObject({status: 0, stdout: expect.stringMatching(/^3 of 3 sent/)});
  expect(done.stderr).toContain(`Continuing ${id}: rent.csv was begun on 3 Jan at 10:03 and is not finished`);
  expect(await bills()).toEqual(once);
});

test('a new row is one new bill, whatever else changed in the file; a number of another row is refused', async () => {
  const {goTo, bills, bill, write} = await stage();
  expect(await bill(MONTH)).toMatchObject({status: 0});
  write(sheet(rowOf('ana', 1, 9999), rowOf('ben', 2), rowOf('carla', 3), rowOf('dan', 4)));
  const more = await bill([...MONTH, '--json']);
  expect(more.json()).toMatchObject({statements: 1, done: 1, created: 1, already: false, period: '2031-01'});
  expect(more.json().data.map(({error_code: code}: {error_code: unknown}) => code)).toEqual([
    ...['billed_otherwise', 'billed_before', 'billed_before'],
    null,
  ]);
  expect(await bills()).toEqual({...once, DAN: 1});
  // A column that counts the rows is no invoice number.
  write(sheet(...['ana', 'eva', 'ben', 'carla', 'dan'].map((name, at) => rowOf(name, at + 1))));
  expect((await bill([...MONTH, '--json'])).error()).toMatchObject({
    ...{code: 'moved_numbers', exit_code: 12, needs_person: true, retryable: false},
    message: expect.stringMatching(
      /^3 of 5 numbers in column "Invoice No\." stand for other rows now\. 2 was billed as /,
    ),
  });
  // The same tenant with the content of another row.
  write(sheet(rowOf('ana', 2, 5001), rowOf('ana', 1, 5005), rowOf('ben', 7)));
  expect((await bill([...MONTH, '--json'])).error()).toMatchObject({code: 'moved_numbers'});
  expect(await bills()).toEqual({...once, DAN: 1});
  // In the next month they are numbers of that month.
  goTo('2031-02-03');
  write(RENT);
  expect(await bill(MONTH)).toMatchObject({status: 0});
  expect(await bills()).toEqual({...twice, DAN: 1});
});

test('what is printed of a billed row is its bill; a row that says otherwise is named', async () => {
  const {service, bill, goTo, write, run} = await stage();
  expect(await bill(MONTH)).toMatchObject({status: 0});
  const changed = sheet(rowOf('ana', 1, 9999), rowOf('ben', 2), rowOf('carla', 3));
  write(changed);
  const otherwise = {
    ...{amount: 500_100, sent: 'yes', error_code: 'billed_otherwise'},
    error: expect.stringMatching(
      /^1 was billed before as .* "Rent" 1 × ₱5,001\.00 is 1 × ₱9,999\.00 now\. It is not billed/,
    ),
  };
  const billed = {sent: 'yes', error_code: 'billed_before'};
  const again = (await bill([...MONTH, '--json'])).json();
  expect(again).toMatchObject({already: true, amount: 1_500_600, data: [otherwise, billed, billed]});
  const said = await bill(MONTH);
  expect(said).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('is 1 × ₱9,999.00 now. It is not billed again.'),
  });
  // Another machine does not know whether they were sent.
  expect((await machine(service, changed).bill([...MONTH, '--json'])).json().data).toMatchObject([
    {...otherwise, sent: null},
    {...billed, sent: null},
    {...billed, sent: null},
  ]);
  const [, number] = /To replace it: centavo reissue (\S+) --item 'Rent x1 @ 9999.00' --send\n/.exec(said.stderr)!;
  const reissue = ['billing-statements', 'reissue', number!, '--item', 'Rent x1 @ 9999.00', '--send', '--yes'];
  expect(await run(reissue)).toMatchObject({status: 0});
  expect((await bill([...MONTH, '--json'])).json().data[0]).toMatchObject({
    ...{amount: 999_900, sent: 'yes', error_code: 'billed_before'},
    error: expect.stringContaining('1 was reissued as'),
  });
  // The replacement is the newest statement of the account, and has no period.
  goTo('2031-02-03');
  expect((await bill([...MONTH, '--json'])).json()).toMatchObject({statements: 3, created: 3, failed: 0});
});

test('a changed file of the period replaces an unfinished import if it has every row that is owed', async () => {
  const {service, bills, bill, write, run, directory} = await stage();
  expect(await bill(MONTH, stopAfter(service, 8))).toMatchObject({status: 130});
  service.faults = {};
  const [id] = jobsIn(directory);
  write(sheet(rowOf('ana', 1)));
  expect((await bill([...MONTH, '--json'])).error()).toMatchObject({code: 'begun_before', needs_person: true, job: id});
  write(`${RENT}${rowOf('dan', 4)}\n`);
  const done = await bill(MONTH);
  expect(done, done.stderr).toMatchObject({status: 0, stderr: expect.stringContaining(`this file replaces ${id}`)});
  expect(await bills()).toEqual({...once, DAN: 1});
  expect([...service.emails().values()]).toEqual([1, 1, 1, 1]);
  const jobs = (await run(['jobs', 'list', '--json'])).json().data as {id: string; state: string; period: string}[];
  expect(jobs.find((job) => job.id === id)).toMatchObject({state: 'abandoned', period: '2031-01'});
});

test('another machine knows what was billed in the period; its drafts are a person’s decision', async () => {
  const {service, bills, bill} = await stage(unnumbered(RENT));
  expect(await bill(MONTH)).toMatchObject({status: 0});
  const other = machine(service, unnumbered(RENT));
  expect(await other.bill(MONTH)).toMatchObject({
    status: 0,
    stdout: 'Nothing new was billed: all 3 rows were billed on 3 January.\n',
  });
  other.write(unnumbered(`${RENT}${rowOf('dan', 4)}\n`));
  expect(await other.bill(MONTH, stopAfter(service, 3))).toMatchObject({status: 130});
  service.faults = {};
  const third = machine(service, unnumbered(`${RENT}${rowOf('dan', 4)}\n`));
  expect((await third.bill([...MONTH, '--json'])).error()).toMatchObject({
    ...{code: 'made_elsewhere', needs_person: true, retryable: false, ids: [expect.stringMatching(/^bstm_/)]},
  });
  // Also the bill whose draft the stopped run made.
  expect((await other.bill([...MONTH, '--json'])).json()).toMatchObject({created: 1, already: false});
  expect(await third.bill(MONTH)).toMatchObject({status: 0, stdout: expect.stringContaining('all 4 rows')});
  expect(await bills()).toEqual({...once, DAN: 1});
  expect([...service.emails().values()]).toEqual([1, 1, 1, 1]);
});

test('a file that was wholly billed is done under the same period or within 20 hours; later it is refused', async () => {
  const {service, goTo, bills, bill, directory} = await stage();
  expect(await bill()).toMatchObject({status: 0});
  const [id] = jobsIn(directory);
  const again = await bill(['--json']);
  expect(again).toMatchObject({status: 0});
  expect(again.json()).toMatchObject({
    ...{resource: 'list', has_more: false, job: id, statements: 3, done: 3, created: 0, already: true, period: null},
    data: Array.from({length: 3}, () => expect.objectContaining({status: 'open', sent: 'yes'})),
  });
  expect(jobsIn(directory)).toEqual([id]);
  goTo('2031-02-03');
  expect((await bill(['--json'])).error()).toMatchObject({
    ...{
      code: 'billed_before',
      exit_code: 12,
      retryable: false,
      needs_person: true,
      job: id,
      next: [['jobs', 'get', id]],
    },
    message: `all 3 rows were billed on 3 January. They are in ${id}. Without --period, centavo cannot tell another month from a repeat.`,
    before: {is_certain: true},
  });
  // What was billed under no period may have been for this one.
  const refused = await bill([...MONTH, '--json']);
  expect(refused.error()).toMatchObject({
    ...{code: 'billed_before', needs_person: true, retryable: false},
    message: expect.stringMatching(
      /^3 of 3 rows were billed before, without a period\. 1 was billed as .* on 3 January;/,
    ),
  });
  expect(JSON.stringify(refused.error().next)).not.toContain('--');
  expect(await bills()).toEqual(once);
  // Said once, it does not stop a later month.
  expect(await bill([...MONTH, '--allow-duplicate'])).toMatchObject({status: 0});
  goTo('2031-03-03');
  expect(await bill(MONTH)).toMatchObject({status: 0});
  expect(Object.values(await bills())).toEqual([3, 3, 3]);
  expect([...service.emails().values()]).toEqual(Array(9).fill(1));
});

test.skipIf(!loaded.pty)('at a terminal centavo asks row by row, or for which month', async () => {
  const {goTo, bills, bill, asked, directory} = await stage(sheet(rowOf('ana', 1), rowOf('ben', 2)));
  expect(await bill()).toMatchObject({status: 0});
  goTo('2031-02-03');
  const rows = asked(...MONTH);
  await rows.until(/1 for ANA, ₱5,001\.00:/);
  rows.type('\r');
  await rows.until(/2 for BEN, ₱5,002\.00:/);
  rows.type('\u001B[B\r');
  await rows.until(/send 1 billing statement of ₱5,002\.00 .*\(y\/N\)/);
  rows.type('y\r');
  expect(await rows.ended).toBe(0);
  expect(await bills()).toEqual({ANA: 1, BEN: 2});
  // The answers are kept.
  expect(await bill(MONTH)).toMatchObject({status: 0, stdout: expect.stringContaining('Nothing new was billed')});
  expect(jobsIn(directory)).toHaveLength(2);
  goTo('2031-04-03');
  const later = asked();
  await later.until(/Both rows were billed .*Bill them again, for the period 2031-04\?/);
  later.type('y\r');
  await later.until(/send 2 billing statements of .*\(y\/N\)/);
  later.type('y\r');
  expect(await later.ended).toBe(0);
  expect(await bills()).toEqual({ANA: 2, BEN: 3});
});

test.skipIf(!loaded.pty)('a send in doubt keeps its job, and is decided once, for all jobs', async () => {
  const {service, goTo, bill, write, run, directory} = await stage(sheet(rowOf('ana', 1), rowOf('ben', 2)));
  service.faults = {losesSends: true};
  const [first] = [await bill(MONTH)].map(({status}) => status);
  service.faults = {};
  goTo('2031-01-04');
  expect([first, (await bill(MONTH)).status, jobsIn(directory).length]).toEqual([11, 11, 1]);
  const [id] = jobsIn(directory);
  write(RENT);
  expect([(await bill(MONTH)).status, jobsIn(directory).length]).toEqual([11, 2]);
  // The clock of this machine is years behind.
  const decided = screenInProcess(directory, ['jobs', 'resume', id!, '--resend-unknown'], {
    ...{columns: 160, pace: 0.001, env: service.env, now: Math.floor(Date.now() / 1000)},
  });
  await decided.until(/ANA.*may have been sent\.[^]*❯ Decide later/);
  decided.type('\u001B[B\u001B[B\r');
  await decided.until(/BEN.*may have been sent\.[^]*❯ Decide later/);
  decided.type('\u001B[B\r');
  await decided.until(/send 1 of 2 billing.*\(y\/N\)/);
  decided.type('y\r');
  expect(await decided.ended, await decided.text()).toBe(0);
  expect([...service.emails().values()].sort()).toEqual([1, 1, 2]);
  const jobs = (await run(['jobs', 'list', '--json'])).json().data as object[];
  expect(jobs).toMatchObject([{in_doubt: 0}, {in_doubt: 0}]);
  expect(await bill(MONTH)).toMatchObject({status: 0, stdout: expect.stringContaining('Nothing new was billed')});
});

test('a voided row stops no import and is not billed again in its period; the rows of a voided import are', async () => {
  const {service, bills, bill, run, directory} = await stage();
  expect(await bill(MONTH)).toMatchObject({status: 0});
  const [first] = (await service.statements()) as unknown as {id: string}[];
  expect(await run(['billing-statements', 'void', first!.id, '--yes'])).toMatchObject({status: 0});
  const again = await bill([...MONTH, '--json']);
  expect(again.json()).toMatchObject({already: true, created: 0});
  expect(JSON.stringify(again.json().data)).toMatch(/which is void: not billed again/);
  expect(Object.values(await bills())).toEqual([1, 1]);
  expect(await run(['jobs', 'void', jobsIn(directory)[0]!, '--yes'])).toMatchObject({status: 0});
  expect(await bill(MONTH)).toMatchObject({status: 0});
  expect(await bills()).toEqual(once);
});

test('a reset sandbox is billed again by the same file', async () => {
  const directory = temporaryDirectory();
  const file = join(directory, 'rent.csv');
  writeFileSync(file, RENT);
  const run = commandsIn(directory);
  for (const more of [[], MONTH, MONTH]) {
    expect(await run(importing(file, '--yes', ...more))).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^3 of 3 sent/),
    });
    expect(await run(['sandbox', 'reset', '--yes'])).toMatchObject({status: 0});
  }
});

test('without a period, only the newest bill of a row counts; a dry run proposes the period as typed', async () => {
  const {goTo, bills, bill, write} = await stage();
  expect((await bill(['--period', 'Month', '--json'])).json()).toMatchObject({period: '2031-01', created: 3});
  goTo('2031-02-03');
  expect((await bill([...MONTH, '--dry-run'])).stderr).toMatch(/^ {2}Period 2031-02\n[^]* --period month --send/m);
  expect(await bill(MONTH)).toMatchObject({status: 0});
  expect(await bill()).toMatchObject({status: 0, stdout: expect.stringContaining('billed on 3 February')});
  write(sheet(rowOf('ana', 1, 9999), rowOf('ben', 2), rowOf('carla', 3)));
  expect((await bill(['--json'])).error().faults).toMatchObject([{problem: expect.stringMatching(/-0002 \(open/)}]);
  // The corrected row is as it was billed last.
  goTo('2031-03-03');
  expect(await bill(MONTH)).toMatchObject({status: 0});
  expect(await bill()).toMatchObject({status: 0, stdout: expect.stringContaining('billed on 3 March')});
  expect(Object.values(await bills())).toEqual([3, 3, 3]);
});

const NO_PERIODS = [
  '',
  ' ',
  '-x',
  'a'.repeat(41),
  'a\nb;c',
  '2027-13',
  '2026-1',
  '2026-2027',
  '2026/11',
  'January',
  'feb',
];

test.each(NO_PERIODS)('--period %j is refused', async (period) => {
  const {bill, service} = await stage();
  expect((await bill([`--period=${period}`, '--json'])).error()).toMatchObject({code: 'invalid_flag', exit_code: 2});
  expect(service.requests).toBe(0);
});

test('prints one document at the end, as a list does, or lines of JSON as rows end', async () => {
  const {bill} = await stage();
  const print = async (...more: string[]): Promise<string> => {
    const {status, stdout, stderr} = await bill([...MONTH, ...more]);
    expect(status, stderr).toBe(0);
    return stdout;
  };
  const lines = (await print('-o', 'jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as {type: string});
  expect(lines.map(({type}) => type)).toEqual(['row', 'row', 'row', 'summary']);
  expect(Object.keys(JSON.parse(await print('--json')) as object).sort()).toEqual(
    [
      ...['resource', 'has_more', 'data', 'job', 'period', 'statements', 'done', 'failed', 'in_doubt', 'left'],
      ...['created', 'already', 'amount', 'result_file', 'mode'],
    ].sort(),
  );
  expect(await print('--json', '--jq', '.data[].external_id')).toBe('1\n2\n3\n');
  expect((JSON.parse(await print('--json', '--fields', 'external_id')) as {data: object}).data).toEqual(
    ['1', '2', '3'].map((external_id) => ({external_id})),
  );
  expect(await print('--fields', 'external_id,sent')).toBe('1\tyes\n2\tyes\n3\tyes\n');
  expect((await print('-o', 'csv')).split(/\r?\n/)).toHaveLength(5);
  expect((await print('-o', 'csv', '--fields', 'external_id')).split(/\r?\n/)).toEqual([
    'external_id',
    '1',
    '2',
    '3',
    '',
  ]);
});
