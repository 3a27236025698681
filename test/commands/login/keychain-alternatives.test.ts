// The alternatives to a keychain, pasted into a shell as printed: each is the same login, and works.

import {execFile} from 'node:child_process';
import {chmodSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {test} from 'vitest';
import {cliEnvironment, RUN} from '../../support/cli.js';
import {person, serve, SHOP} from '../../support/scenarios/accounts.js';
import {TEST_KEY} from '../../support/services/servers.js';

/** Only Linux has sessions without a keychain. */
test.runIf(process.platform === 'linux')(
  'each way out that is named works as it is pasted',
  async ({expect, onTestFinished}) => {
    const api = await serve({[TEST_KEY]: SHOP}, onTestFinished);
    const env = {DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere'};
    const someone = person(env);
    const attempt = await someone.run(['login', '-p', 'shop', '--base-url', api.url, '--json']);
    const {exit_code, hint} = attempt.error() as {exit_code: number; hint: string};
    expect(exit_code).toBe(13);
    const live = await someone.run(['login', '--live', '--json']);
    expect(live.error()).toMatchObject({hint: expect.stringMatching(/^A person decides/), needs_person: true});
    const [, variables, ...commands] = /You can use (.+?), or (centavo .+)$/.exec(hint)!;
    expect(variables).toBe(`CENTAVO_SECRET_KEY and CENTAVO_BASE_URL=${api.url}`);
    const key = {CENTAVO_SECRET_KEY: TEST_KEY, CENTAVO_BASE_URL: api.url};
    expect((await someone.run(['customers', 'list'], {env: key})).status).toBe(0);

    for (const [program, text] of [
      ['pass', `[ "$*" = 'show centavo' ] && printf '%s%s\\n' sk_ ${TEST_KEY.slice(3)}`],
      ['centavo', `exec '${process.execPath}' '${RUN}' "$@"`],
    ] as const) {
      writeFileSync(join(someone.directory, program), `#!/bin/sh\n${text}\n`);
      chmodSync(join(someone.directory, program), 0o700);
    }
    const path = {...env, PATH: `${someone.directory}:${process.env.PATH}`};
    for (const line of commands) {
      // There is no terminal to type the key.
      const words = line.includes('pass') ? line : `${line} --with-token`;
      const pasted = promisify(execFile)('/bin/sh', ['-c', words], {env: cliEnvironment(someone.directory, path)});
      pasted.child.stdin!.on('error', () => {}).end(TEST_KEY);
      expect((await pasted).stderr).toContain('Key stored.');
      expect((await someone.run(['customers', 'list', '-p', 'shop'], {env: path})).status).toBe(0);
    }
  },
);
