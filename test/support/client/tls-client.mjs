// A process with its own trusted certificates: reads and writes at each given base URL, and prints the outcomes.

import {createClient} from '../../../dist/client/client.js';

const {key, proxy, urls} = JSON.parse(process.argv[2]);
const results = [];
for (const baseUrl of urls) {
  const client = createClient({key, baseUrl, proxy: {https: proxy}, timeout: 5000, sleep: async () => {}});
  for (const call of [
    () => client.customers.get('cus_2mQ8'),
    () => client.customers.create({name: 'Juan', email: 'juan@example.com', currency: 'PHP'}),
  ]) {
    results.push(
      await call().then(
        (customer) => customer.id,
        ({kind, details}) => `${kind} ${details.applied ?? '-'} ${details.retryable} ${details.why} ${details.hint}`,
      ),
    );
  }
  await client.close();
}
process.stdout.write(JSON.stringify(results));
