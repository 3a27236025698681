// Customers of a file are found in the account's list if it is short, or else one by one, with the same result.

import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {findJobCustomers, type CustomerFault} from '../../../src/billing/import/existing-customers.js';
import {JobFile} from '../../../src/billing/import/job/job-file.js';
import {RowWorkers} from '../../../src/billing/import/row-workers.js';
import {createClient} from '../../../src/client/client.js';
import {openSandbox} from '../../../src/sandbox/sandbox.js';
import {temporaryDirectory} from '../../support/cli.js';

const AROUND = {concurrency: 4, now: () => 1, nowMilliseconds: () => 1000, sleep: async () => {}};

/** A job without customers. */
function jobIn(directory: string): JobFile {
  const facts = {id: 'job_test', source: 'june.csv', profile: 'sandbox', mode: 'sandbox', account: 'sandbox'} as const;
  const more = {finalize: true, send: true, created_at: 1, result_file: null, period: null, digest: ''};
  const job = JobFile.create(join(directory, 'job.db'), {...facts, ...more});
  onTestFinished(() => job.close());
  return job;
}

/** A file of 60 customers, for an account with `others` more. */
async function look(others: number) {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.close());
  const requests: string[] = [];
  const client = createClient({
    key: sandbox.keys.secret,
    transport: (request) => {
      requests.push(`${request.method} ${request.path}`);
      return sandbox.handle(request);
    },
  });
  const customer = async (name: string, email: string) =>
    (await client.customers.create({name, email, currency: 'PHP'})).id;
  const ana = await customer('Ana', 'Ana@Example.com');
  const ben = await customer('Ben', 'ben@example.com');
  const twins = [await customer('Cora', 'cora@example.com'), await customer('Cora', 'cora@example.com')];
  for (let n = 0; n < others; n++) await customer(`Other ${n}`, `other${n}@example.com`);
  const gone = await customer('Gone', 'gone@example.com');
  await client.customers.delete(gone);

  const job = jobIn(temporaryDirectory());
  job.addCustomer('ana@example.com', {email: 'ana@example.com', name: 'Somebody'});
  for (const id of [ben, gone, 'cus_Nobody1']) job.addCustomer(id, {id});
  for (const name of ['cora', 'nameless', 'gone'])
    job.addCustomer(`${name}@example.com`, {email: `${name}@example.com`, ...(name === 'gone' && {name: 'Gone'})});
  for (let n = 0; n < 53; n++) job.addCustomer(`new${n}@example.com`, {email: `new${n}@example.com`, name: `New ${n}`});

  const faults: CustomerFault[] = [];
  requests.length = 0;
  await findJobCustomers(job, new RowWorkers({client, ...AROUND}), {}, (fault) => faults.push(fault));
  const ids = new Map([
    [ana, 'Ana'],
    [ben, 'Ben'],
    [gone, 'Gone'],
  ]);
  const named = (text: string): string => [...ids].reduce((words, [id, name]) => words.replaceAll(id, name), text);
  return {
    requests,
    twins,
    fixes: faults.flatMap(({ref, fix}) => (ref.startsWith('cora') ? [fix] : [])),
    faults: faults.map(({ref, problem}) => `${named(ref)}: ${named(problem)}`).sort(),
    customers: [...job.customers()].map(({ref, id, name, creates}) => ({
      ...{ref: named(ref), id: id && named(id), name, creates},
    })),
  };
}

test('reads a short list instead of each customer, with the same result', async () => {
  const [short, long] = [await look(150), await look(400)];
  // Two pages, and missing customers by id.
  expect(short.requests.filter((request) => request === 'GET /customers')).toHaveLength(2);
  expect(short.requests).toHaveLength(4);
  // Three pages are one in twenty; then one request for each.
  expect(long.requests).toHaveLength(3 + 60);
  const settled = ({customers}: typeof short) => customers.filter(({ref}) => !ref.startsWith('cora'));
  for (const each of [short, long]) {
    expect(each.faults).toEqual([
      'Gone: Customer Gone was not found.',
      'cora@example.com: 2 customers have the email address cora@example.com.',
      'cus_Nobody1: Customer cus_Nobody1 was not found.',
      'nameless@example.com: No customer has the email address nameless@example.com.',
    ]);
    expect(each.fixes[0]).toMatch(new RegExp(`${each.twins[0]}`));
    expect(each.fixes[0]).toMatch(new RegExp(`${each.twins[1]}`));
    expect(each.fixes[0]).toContain('To tell them apart: centavo customers list --email cora@example.com');
    expect(each.customers.find(({ref}) => ref === 'ana@example.com')).toMatchObject({id: 'Ana', name: 'Ana'});
    expect(each.customers.filter(({creates}) => creates === 1)).toHaveLength(54);
  }
  expect(settled(short).sort(byRef)).toEqual(settled(long).sort(byRef));
});

test('looks up an address as typed and in lower case if the service is case-sensitive', async () => {
  const sandbox = openSandbox();
  onTestFinished(() => sandbox.close());
  const client = createClient({
    key: sandbox.keys.secret,
    transport: async (request) => {
      const answer = await sandbox.handle(request);
      const email = new URLSearchParams(request.query).get('email');
      if (email === null) return answer;
      const page = JSON.parse(Buffer.from(answer.body).toString());
      const data = page.data.filter((each: {email: string}) => each.email === email);
      return {...answer, body: Buffer.from(JSON.stringify({...page, data}))};
    },
  });
  const made = async (name: string, email: string) =>
    (await client.customers.create({name, email, currency: 'PHP'})).id;
  const [ana, ben] = [await made('Ana', 'ana@example.com'), await made('Ben', 'Ben@Example.com')];
  const job = jobIn(temporaryDirectory());
  for (const email of ['Ana@Example.com', 'Ben@Example.com'])
    job.addCustomer(email.toLowerCase(), {email, name: 'Somebody'});
  await findJobCustomers(job, new RowWorkers({client, ...AROUND}), {}, (fault) => expect(fault).toBeUndefined());
  expect([...job.customers()].map(({id, creates}) => [id, creates])).toEqual([
    [ana, 0],
    [ben, 0],
  ]);
});

const byRef = (one: {ref: string}, other: {ref: string}): number => (one.ref < other.ref ? -1 : 1);
