// A process that creates statements in a sandbox file, for one customer that all writers share.

import {createClient} from '../../../dist/client/client.js';
import {openSandbox} from '../../../dist/sandbox/sandbox.js';
import {runAction} from '../../../dist/sandbox/requests/router.js';

const [path, count] = process.argv.slice(2);
const sandbox = openSandbox({path});

const customerId = sandbox.perform((work) => {
  const [known] = work.store.list('customer', {limit: 1}).data;
  const fields = {name: 'Shared', email: 'shared@example.com', currency: 'PHP', billing_statement_prefix: 'SHARED'};
  return (known ?? runAction(work, 'customers:create', fields)).id;
});

const client = createClient({key: sandbox.keys.secret, transport: sandbox.handle});
const made = [];
for (let index = 0; index < Number(count); index += 1) {
  const statement = await client.billingStatements.create({customer_id: customerId, currency: 'PHP'});
  const {id, billing_statement_number: number} = statement;
  made.push({id, number});
}
sandbox.close();
process.stdout.write(JSON.stringify(made));
