// Rows that fail: the reported reasons, and retries that do only the remaining work.

import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {expect, test} from 'vitest';
import {PLAN_KEY} from '../../../../src/billing/statement/metadata-keys.js';
import {importing, importStage, jobsIn} from '../../../support/scenarios/imports.js';

test('reports each refused row with its reason, and retries it only with --retry-failed', async () => {
  const {service, directory, file, amounts, run, result} = await importStage(8);
  let sends = 0;
  service.faults = {
    refuses: (request, body) => {
      if (request === 'POST /customers' && body.includes('payer1@')) return 'The email cannot receive mail.';
      if (request === 'POST /billing_statements' && body.includes('JUNE-0002')) return 'No drafts today.';
      return request.endsWith('/send') && ++sends === 1 ? 'The customer has unsubscribed.' : undefined;
    },
  };
  const failed = await run(importing(file, '--yes'));
  expect(failed.status).toBe(11);
  const [job] = jobsIn(directory);
  const unsent = [...result().values()].find(({error}) => error?.includes('unsubscribed'))!;
  for (const said of [
    'line 2, JUNE-0001, Payer 1: The customer could not be created: the API refused the request (HTTP 400). The email cannot receive mail.',
    'line 11, JUNE-0007, Payer 1: The customer could not be created: the API refused the request (HTTP 400). The email cannot receive mail.',
    'line 4, JUNE-0002, Payer 2: the API refused the request (HTTP 400), while creating the draft. No drafts today.',
    `${unsent.external_id}, Payer ${Number(unsent.external_id!.slice(-4))}: the API refused the request (HTTP 400), while sending the statement. The customer has unsubscribed.`,
    `4 of 8 sent, 4 failed.\n  To see why: centavo jobs get ${job} --open`,
  ])
    expect(failed.stderr).toContain(said);
  const stands = [...result().values()].map((row) => [row.external_id, row.status, row.sent, row.error_code]);
  const isUnsent = (id: string): boolean => id === unsent.external_id;
  expect(stands).toEqual(
    [...amounts.keys()].map((id) =>
      ['JUNE-0001', 'JUNE-0002', 'JUNE-0007'].includes(id)
        ? [id, '', 'no', 'parameter_invalid']
        : [id, 'open', isUnsent(id) ? 'no' : 'yes', isUnsent(id) ? 'parameter_invalid' : ''],
    ),
  );
  // Nothing is retried without the flag.
  const {requests} = service;
  const plain = await run(['jobs', 'resume', job!, '--yes']);
  expect(plain).toMatchObject({
    status: 11,
    stderr: expect.stringContaining(`To retry the failed rows: centavo jobs resume ${job} --retry-failed`),
  });
  expect(service.requests - requests).toBeLessThanOrEqual(2);
  service.faults = {};
  const retried = await run(['jobs', 'resume', job!, '--retry-failed', '--yes', '-o', 'jsonl']);
  expect(retried.status).toBe(0);
  const lines = retried.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(
    lines
      .filter(({type}) => type === 'row')
      .map((row) => row.external_id)
      .sort(),
  ).toEqual(['JUNE-0001', 'JUNE-0002', 'JUNE-0007', unsent.external_id].sort());
  expect(lines.at(-1)).toMatchObject({type: 'summary', done: 8, failed: 0, left: 0});
  expect(await service.wrong(amounts)).toEqual([]);
  expect([...service.emails().values()]).toEqual(Array(8).fill(1));
  expect([...result().values()].map(({sent, error}) => `${sent}${error}`)).toEqual(Array(8).fill('yes'));
});

test('exits with the error of the result file after billing everything', async () => {
  const {service, directory, file, run} = await importStage(1);
  const path = join(directory, 'june-result.csv');
  service.faults = {onChange: () => mkdirSync(path, {recursive: true})};
  const failed = await run(importing(file, '--yes'));
  expect(failed).toMatchObject({status: 15, stderr: expect.not.stringContaining('Result:')});
  expect(failed.stderr).toContain(`${path} cannot be written.`);
  expect(failed.stderr).toContain('1 of 1 sent.');
  expect([...service.emails().values()]).toEqual([1]);
});

test('a statement that is finalized with another amount is not sent, and is named with its void command', async () => {
  const {service, directory, file, amounts, run, result} = await importStage(2);
  const authorization = `Basic ${Buffer.from(`${service.key}:`).toString('base64')}`;
  const others: Promise<unknown>[] = [];
  service.faults = {
    refuses: (request) => {
      const id = /billing_statements\/(\w+)\/finalize$/.exec(request)?.[1];
      if (id === undefined || others.length > 0) return undefined;
      const item = {billing_statement_id: id, description: 'Late', unit_price: 5000, quantity: 1};
      const headers = {authorization, 'content-type': 'application/json'};
      const body = Buffer.from(JSON.stringify(item));
      // Another user acts before the finalization.
      others.push(
        service.sandbox.handle({method: 'POST', path: '/billing_statement_line_items', query: '', headers, body}),
      );
      return undefined;
    },
  };
  const differs = await run(importing(file, '--yes'));
  expect(differs.status).toBe(11);
  const row = [...result().values()].find(({sent}) => sent === 'no');
  const {external_id: external, id} = row!;
  expect(row).toMatchObject({status: 'open', error_code: 'statement_differs'});
  const paid = (centavos: number) => `₱${(centavos / 100).toLocaleString('en', {minimumFractionDigits: 2})}`;
  const amount = amounts.get(external!)!;
  expect(differs.stderr).toContain(
    `${external}, Payer ${Number(external!.slice(-4))}: statement ${id} is open with ${paid(amount + 5000)}, not ${paid(amount)}. Void it: centavo void ${id}`,
  );
  const [job] = jobsIn(directory);
  expect((await run(['jobs', 'resume', job!, '--retry-failed', '--yes'])).status).toBe(11);
  expect(service.emails().has(id!)).toBe(false);
  expect((await run(['billing-statements', 'void', id!, '--yes'])).status).toBe(0);
  // The file then bills only the voided rows.
  expect(await run(importing(file, '--yes'))).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('1 of 2 statements is already billed and will be skipped.\n'),
  });
  expect([...service.emails().values()]).toEqual([1, 1]);
  const open = (await service.statements()).filter(({status}) => status === 'open');
  expect(new Set(open.map(({metadata}) => (metadata as Record<string, string>)[PLAN_KEY])).size).toBe(2);
});
