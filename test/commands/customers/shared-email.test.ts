// A duplicate email address needs confirmation at a terminal; scripts are not blocked.

import {afterAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {ENTER, loaded} from '../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const count = async (): Promise<number> =>
  (await run(['customers', 'list', '--email', 'ana@example.com', '--json'])).json().data.length;

test.runIf(loaded.pty)('names the customer with the address, and Enter declines', async () => {
  await run(['customers', 'create', '--name', 'Ana Reyes', '--email', 'ana@example.com']);
  const desk = terminalInProcess(directory, ['customers', 'create', '--name', 'Ana', '--email', 'ANA@example.com'], {
    columns: 160,
  });
  await desk.until(/create a customer \(Ana\), although Ana Reyes already has the email address ANA@example\.com\?/);
  desk.type(ENTER);
  expect(await desk.ended).toBe(12);
  expect(await count()).toBe(1);
  // Scripts and --yes skip the question.
  expect(await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'])).toMatchObject({status: 0});
  expect(await count()).toBe(2);
});
