// Every file and folder that centavo creates for itself is private, even if the shell's umask withholds nothing.

import {execFile} from 'node:child_process';
import {lstatSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {expect, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';
import {serve, SHOP} from '../support/scenarios/accounts.js';
import {TEST_KEY} from '../support/services/servers.js';

const SHEET = 'external_id,customer_email,customer_name,item,quantity,unit_price,due\nA-1,a@ex.com,A,Rent,1,500,+30d\n';

test.skipIf(process.platform === 'win32')('the tree of a home is private with umask 0', async ({onTestFinished}) => {
  const api = await serve({[TEST_KEY]: SHOP}, onTestFinished);
  const home = temporaryDirectory();
  writeFileSync(join(home, 'june.csv'), SHEET);
  const unset = {CENTAVO_DATA_DIR: undefined, XDG_CACHE_HOME: undefined};
  const script = `umask 0; centavo() { "$NODE" "$RUN" "$@" || exit 1; }
    centavo customers create --name A --email a@ex.com --idempotency-key k1
    centavo billing-statements create --customer a@ex.com --item 'Rent @ 500' --due +9d --finalize
    centavo billing-statements import june.csv --send --yes
    centavo find A
    centavo billing-statements export --file next.csv
    centavo completion install bash --yes
    printf %s "$KEY" | centavo login --with-token --profile shop --base-url "$URL" --insecure-storage || exit 1
    centavo profiles use sandbox`;
  const env = {...cliEnvironment(home, unset), NODE: process.execPath, RUN, KEY: TEST_KEY, URL: api.url};
  await promisify(execFile)('sh', ['-c', script], {cwd: home, env});
  const open = readdirSync(home, {recursive: true, encoding: 'utf8'}).filter((name) => {
    const stats = lstatSync(join(home, name));
    // The user's own sheet; Node writes compiled code below a private folder.
    return name !== 'june.csv' && !/^\.cache\/./.test(name) && (stats.mode & 0o077) !== 0;
  });
  expect(open).toEqual([]);
  const made = readdirSync(join(home, '.local/share/centavo'));
  expect(made).toEqual(expect.arrayContaining(['history.db', 'jobs', 'repeats.db', 'runs.db', 'sandbox.db']));
});
