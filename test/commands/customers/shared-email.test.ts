// A second customer with an email address is made or changed only after a person was asked; a script is not held up.

import {afterAll, expect, test} from 'vitest';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {ENTER, loaded, terminal} from '../../support/terminal.js';

const directory = temporaryDirectory(afterAll);
const run = commandsIn(directory);
const count = async (): Promise<number> =>
  (await run(['customers', 'list', '--email', 'ana@example.com', '--json'])).json().data.length;

test.runIf(loaded.pty)('who has it is said, and Enter alone makes none', async () => {
  await run(['customers', 'create', '--name', 'Ana Reyes', '--email', 'ana@example.com']);
  const desk = terminal(directory, ['customers', 'create', '--name', 'Ana', '--email', 'ANA@example.com'], {
    columns: 160,
  });
  await desk.until(/create a customer \(Ana\), although Ana Reyes already has the email address ANA@example\.com\?/);
  desk.type(ENTER);
  expect(await desk.ended).toBe(12);
  expect(await count()).toBe(1);
  // Neither a script nor --yes is asked.
  expect(await run(['customers', 'create', '--name', 'Ana', '--email', 'ana@example.com'])).toMatchObject({status: 0});
  expect(await count()).toBe(2);
});
