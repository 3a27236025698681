// Statements that earlier imports billed under the exact values of cells are known again by the texts that the sheet shows.

import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {findJobCustomers} from '../../../src/billing/import/existing-customers.js';
import {findExisting, oldestPerRow, type ExistingStatement} from '../../../src/billing/import/existing-statements.js';
import {JobFile} from '../../../src/billing/import/job/job-file.js';
import {readRowsIntoJob} from '../../../src/billing/import/read-rows.js';
import {RowWorkers} from '../../../src/billing/import/row-workers.js';
import {createClient} from '../../../src/client/client.js';
import {PERIOD_KEY, PLAN_KEY} from '../../../src/billing/statement/metadata-keys.js';
import type {SheetRow} from '../../../src/input/spreadsheet/read.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {temporaryDirectory} from '../../support/cli.js';

const AROUND = {concurrency: 4, now: () => 1, nowMilliseconds: () => 1000, sleep: async () => {}};
type Cells = Readonly<Record<string, string>>;

const rowOf = (line: number, cells: Cells, raw: Cells = {}): SheetRow => ({
  ...{line, all: Object.values(cells), faults: [], place: (column: string) => ({line, column})},
  cells: new Map(
    Object.entries({customer_email: 'ana@example.com', customer_name: 'Ana', unit_price: '500', ...cells}),
  ),
  raw: new Map(Object.entries(raw)),
});

async function stage() {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.close());
  const client = createClient({key: sandbox.keys.secret, transport: sandbox.handle});
  const {id: customer} = await client.customers.create({name: 'Ana', email: 'ana@example.com', currency: 'PHP'});
  const readUnder = async (period: string | null, ...rows: SheetRow[]): Promise<JobFile> => {
    const job = JobFile.create(join(temporaryDirectory(), 'job.db'), {
      ...{id: 'job_test', source: 'june.xlsx', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'},
      ...{finalize: false, send: false, created_at: 1, result_file: null, period, digest: ''},
    });
    onTestFinished(() => job.close());
    await readRowsIntoJob(rows, job, {finalize: false, now: 1, onFault: (fault) => expect(fault).toBe(undefined)});
    return job;
  };
  const read = (...rows: SheetRow[]): Promise<JobFile> => readUnder(null, ...rows);
  /** Creates the statements of a sheet as an import does. */
  const bill = async (...rows: SheetRow[]): Promise<void> => {
    const job = await read(...rows);
    for (const {n, key, external_id: id} of job.rows()) {
      const metadata = {[PLAN_KEY]: key, ...(id.startsWith('row ') ? {} : {external_id: id})};
      const draft = await client.billingStatements.create({currency: 'PHP', customer_id: customer, metadata});
      for (const item of job.itemsOf(n))
        await client.billingStatementLineItems.create({billing_statement_id: draft.id, ...item});
    }
  };
  const found = async (...rows: SheetRow[]): Promise<string[]> => {
    const job = await read(...rows);
    await findJobCustomers(job, new RowWorkers({client, ...AROUND}), {}, (fault) => expect(fault).toBe(undefined));
    const all: string[] = [];
    for await (const {how, row} of findExisting(job, client, {})) all.push(`${row.external_id} ${how}`);
    return all.sort();
  };
  return {bill, client, customer, found, read, readUnder};
}

test('knows a number again that a cell shows with zeros, and only by its exact value', async () => {
  const {bill, found} = await stage();
  await bill(rowOf(2, {external_id: '42', item: 'Rent'}));
  const shown = (item: string, raw?: string) => rowOf(2, {external_id: '00042', item}, raw ? {external_id: raw} : {});
  expect(await found(shown('Rent', '42'))).toEqual(['00042 own']);
  expect(await found(shown('Water', '42'))).toEqual(['00042 changed']);
  expect(await found(shown('Water'))).toEqual([]);
  expect(await found(rowOf(2, {external_id: '42.0', item: 'Water'}))).toEqual(['42.0 alike']);
});

test('knows an item again that a cell shows as another text, with numbers or without', async () => {
  const {bill, found} = await stage();
  const june = {item: '2026-06-01'};
  await bill(rowOf(2, {external_id: '7', ...june}), rowOf(3, {external_id: '8', item: 'Rent'}));
  await bill(rowOf(2, june), rowOf(3, {item: 'Key'}));
  const shown = {item: 'Jun-26'};
  expect(
    await found(
      rowOf(2, {external_id: '0007', ...shown}, {external_id: '7', ...june}),
      rowOf(3, {external_id: '8', item: 'Rent'}),
    ),
  ).toEqual(['0007 own', '8 own']);
  expect(await found(rowOf(2, shown, june), rowOf(3, {item: 'Key'}))).toEqual(['row 2 own', 'row 3 own']);
});

test('knows a replaced bill of a row by its items if the due date of the row is another day each time', async () => {
  const {client, customer, found} = await stage();
  const metadata = {external_id: '7'};
  const {id} = await client.billingStatements.create({
    ...{currency: 'PHP', customer_id: customer, metadata},
    payment_settings: {payment_methods: ['card']},
  });
  await client.billingStatementLineItems.create({
    ...{billing_statement_id: id, description: 'Rent', quantity: 1, unit_price: 50_000},
  });
  await client.billingStatements.update(id, {due_at: 1_955_000_000});
  await client.billingStatements.finalize(id);
  expect(await found(rowOf(2, {external_id: '7', item: 'Rent', due: '+14d'}))).toEqual(['7 billed']);
  expect(await found(rowOf(2, {external_id: '7', item: 'Rent', due: '2031-12-14'}))).toEqual(['7 billed']);
  expect(await found(rowOf(2, {external_id: '7', item: 'Rent', due: '2031-12-16'}))).toEqual(['7 changed']);
});

test('finds rows of one file whose numbers are alike by the exact value of one', async () => {
  const {read} = await stage();
  const ids = (...ids: (readonly [shown: string, raw?: string])[]) =>
    read(
      ...ids.map(([external_id, raw], at) => rowOf(at + 2, {external_id, item: 'Rent'}, raw ? {external_id: raw} : {})),
    );
  const alike = async (...of: Parameters<typeof ids>) =>
    [...(await ids(...of)).alikeRows()].map((row) => `${row.external_id} ${row.first_external_id}`);
  expect(await alike(['42'], ['A'], ['00042', '42'])).toEqual(['00042 42']);
  expect(await alike(['0042', '42'], ['042', '42'])).toEqual(['0042 042', '042 0042']);
  expect(await alike(['42'], ['00042'])).toEqual([]);
});

test('lets a draft without a period compete with a row that was billed in another period, and no finalized copy', async () => {
  const {client, customer, readUnder} = await stage();
  const job = await readUnder('february', rowOf(2, {external_id: '7', item: 'Rent'}));
  const create = async (metadata: Readonly<Record<string, string>>): Promise<string> =>
    (
      await client.billingStatements.create({
        ...{currency: 'PHP', customer_id: customer},
        payment_settings: {payment_methods: ['card']},
        metadata: {external_id: '7', ...metadata},
      })
    ).id;
  await create({[PERIOD_KEY]: 'january', [PLAN_KEY]: 'of january'});
  const [copy, draft] = [await create({}), await create({})];
  await client.billingStatementLineItems.create({
    ...{billing_statement_id: copy, description: 'Rent', unit_price: 50_000, quantity: 1},
  });
  await client.billingStatements.update(copy, {due_at: Math.floor(Date.now() / 1000) + 86_400});
  await client.billingStatements.finalize(copy);
  await findJobCustomers(job, new RowWorkers({client, ...AROUND}), {}, (fault) => expect(fault).toBe(undefined));
  for await (const {how} of findExisting(job, client, {})) expect(how).toBe(undefined);
  expect([copy, draft].map((id) => job.isOther(id))).toEqual([true, false]);
});

test('statements that exist are in the order of the rows, whenever they were created', () => {
  const existing = (n: number, created_at: number) =>
    ({row: {n}, statement: {id: `bstm_${created_at}`, status: 'open', created_at}}) as unknown as ExistingStatement;
  expect(oldestPerRow([existing(3, 2), existing(1, 3), existing(2, 1)]).map(({row: {n}}) => n)).toEqual([1, 2, 3]);
});

test('counts as new no customer whose rows are billed', async () => {
  const {read} = await stage();
  const to = (line: number, name: string) => ({customer_email: `${name}@example.com`, external_id: String(line)});
  const job = await read(rowOf(2, {...to(2, 'ben'), item: 'Rent'}), rowOf(3, {...to(3, 'carla'), item: 'Rent'}));
  for (const {ref} of job.customers()) job.setCustomer(ref, {creates: 1});
  expect(job.tally).toMatchObject({statements: 2, newCustomers: 2});
  job.setRow(1, {phase: 'done', billed_before: 1});
  expect(job.tally).toMatchObject({statements: 1, newCustomers: 1});
});
