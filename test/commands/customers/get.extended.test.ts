// `customers get` at a terminal in a large account: bounded reads.

import {expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {customerNumbered, pagedService, statementNumbered} from '../../support/services/paged-service.js';
import {TEST_KEY} from '../../support/services/servers.js';

test('reads the 1,000 newest statements, and says so', async () => {
  const service = await pagedService();
  service.customers.push(customerNumbered(1));
  for (let index = 1300; index > 0; index--) service.statements.push(statementNumbered(index));
  const env = {NO_COLOR: '1', CENTAVO_BASE_URL: service.url, CENTAVO_SECRET_KEY: TEST_KEY};
  const {stdout} = await commandsIn(temporaryDirectory())(['customers', 'get', customerNumbered(1).id as string], {
    columns: 80,
    env,
  });
  expect(service.taken()).toHaveLength(11);
  expect(stdout).toMatch(/^Customer 1 {2}owes at least ₱1,500,000\.00/);
  expect(stdout.replaceAll('\n', ' ')).toContain('Only the 1,000 newest statements of the account were read.');
});
