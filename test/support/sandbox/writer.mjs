// A process that creates statements in a sandbox file, for one customer that all writers share.

import {createSandbox} from '../../../dist/sandbox/sandbox.js';
import {runAction} from '../../../dist/sandbox/requests/router.js';

const [path, count] = process.argv.slice(2);
const sandbox = createSandbox({path});

const customerId = sandbox.perform((work) => {
  const [known] = work.store.list('customer', {limit: 1}).data;
  const fields = {name: 'Shared', email: 'shared@example.com', currency: 'PHP', billing_statement_prefix: 'SHARED'};
  return (known ?? runAction(work, 'customers:create', fields)).id;
});

const made = [];
for (let index = 0; index < Number(count); index += 1) {
  const response = await sandbox.handle({
    method: 'POST',
    path: '/billing_statements',
    query: '',
    headers: {
      authorization: `Basic ${Buffer.from(`${sandbox.keys.secret}:`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: Buffer.from(JSON.stringify({customer_id: customerId, currency: 'PHP'})),
  });
  const {id, billing_statement_number: number} = JSON.parse(Buffer.from(response.body).toString());
  if (response.status !== 200) throw new Error(Buffer.from(response.body).toString());
  made.push({id, number});
}
sandbox.close();
process.stdout.write(JSON.stringify(made));
