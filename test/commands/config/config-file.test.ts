// The configuration file under concurrent changes, damage, unsafe modes, links, and full or read-only disks.

import {spawnSync} from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  watch as watchFolder,
  writeFileSync,
} from 'node:fs';
import {dirname, join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {cliEnvironment, RUN, temporaryDirectory} from '../../support/cli.js';
import {loggedIn, person, type Person} from '../../support/scenarios/accounts.js';
import {looksBroken, watchCommand} from '../../support/processes.js';
import {runs} from '../../support/test-size.js';
import {TEST_KEY} from '../../support/services/servers.js';

const URL = 'https://api.example';
const SEED = 20261221;

const AT_ONCE = runs(30);

test(`${AT_ONCE} concurrent commands lose no change, and each read sees a complete file (seed ${SEED})`, async () => {
  const someone = person();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'sandbox', 'env'];
  for (const profile of names.slice(0, 6)) await someone.keep(TEST_KEY, URL, {profile});
  const before = someone.configured();
  const settings = [
    ['read_only', 'true', true],
    ['max_amount', '50,000', 5_000_000],
    ['max_statements_per_run', '7', 7],
    ['timeout', '9s', 9],
  ] as const;
  // In random order, by the seed.
  let state = SEED;
  const pairs = names
    .flatMap((name) =>
      settings.map((setting) => ({name, setting, at: (state = Math.imul(state, 1_664_525) + 1_013_904_223)})),
    )
    .sort((one, other) => one.at - other.at)
    .slice(0, AT_ONCE);
  let reads = 0;
  const watcher = watchFolder(dirname(someone.configuration), () => {
    someone.configured();
    reads++;
  });
  const ends = await Promise.all(
    pairs.map(({name, setting: [key, text]}) => {
      const words = [RUN, 'config', 'set', key, text, '-p', name];
      return watchCommand(process.execPath, words, {env: cliEnvironment(someone.directory)}).ended;
    }),
  );
  watcher.close();
  expect(ends.map(({status}) => status)).toEqual(pairs.map(() => 0));
  const expected = Object.fromEntries(
    names
      .filter((name) => before.profiles[name] !== undefined || pairs.some((pair) => pair.name === name))
      .map((name) => [
        name,
        {
          keys: {},
          ...before.profiles[name],
          ...Object.fromEntries(
            pairs.filter((pair) => pair.name === name).map(({setting: [key, , value]}) => [key, value]),
          ),
        },
      ]),
  );
  expect(someone.configured()).toEqual({...before, profiles: expected});
  expect(readdirSync(dirname(someone.configuration)).filter((name) => name.startsWith('.config'))).toEqual([]);
  console.info(`${AT_ONCE} commands at once: as many settings kept, ${reads} readings of a whole file meanwhile.`);
});

describe.concurrent('a file that cannot be used', () => {
  const broken = (text = '{\n  "version": 1,\n  "profiles": {"shop": ]}\n}\n', mode = 0o600): Person => {
    const someone = person();
    mkdirSync(dirname(someone.configuration), {recursive: true, mode: 0o700});
    writeFileSync(someone.configuration, text);
    chmodSync(someone.configuration, mode);
    return someone;
  };

  test.for([
    ['broken', undefined, undefined, 'line 3'],
    ['of a later version', '{"version": 2}', undefined, 'Its version is 2; this version of centavo reads version 1.'],
    [
      'with a wrong value',
      '{"version":1,"profiles":{"shop":{"max_amount":"50"}}}',
      undefined,
      'profiles.shop.max_amount is "50"',
    ],
    ['that others may write to', '{"version":1}', 0o666, 'mode 666'],
  ] as const)(
    '%s is exit 14, is named with its fault, and is left as it is',
    async ([, text, mode, fault], {expect}) => {
      const {run, configuration} = broken(text, mode);
      const before = readFileSync(configuration, 'utf8');
      for (const used of [
        await run(['customers', 'list', '--json']),
        await run(['config', 'set', 'timeout', '5s', '--json']),
      ]) {
        expect(used).toMatchObject({status: 14, stdout: ''});
        expect(used.error()).toMatchObject({exit_code: 14, applied: 'no'});
        expect(used.stderr).toContain(configuration);
        expect(used.error().message).toContain(fault);
      }
      expect(readFileSync(configuration, 'utf8')).toBe(before);
    },
  );

  test.for([
    ['help'],
    ['customers', 'create', '--help'],
    ['commands'],
    ['history'],
    ['sandbox', 'clock'],
    ['sandbox', 'seed'],
    ['sandbox', 'reset', '--yes'],
    ['webhooks', 'deliveries'],
  ])('is no hindrance to what needs no account: %j', async (words, {expect}) => {
    const result = await broken().run(words);
    expect(result.status, result.stderr).toBe(0);
    expect(looksBroken(result)).toBe(false);
  });
});

test('follows a configuration file that is a link, and keeps fields of later versions', async () => {
  const someone = await loggedIn(TEST_KEY, URL);
  const moved = join(someone.directory, 'dotfiles.json');
  const document = {...someone.configured(), later: {one: [1]}};
  document.profiles.shop.theme = 'dark';
  renameSync(someone.configuration, moved);
  writeFileSync(moved, JSON.stringify(document));
  symlinkSync(moved, someone.configuration);
  expect((await someone.run(['config', 'set', 'timeout', '5s'])).status).toBe(0);
  expect((await someone.run(['profiles', 'use', 'sandbox'])).status).toBe(0);
  expect(readlinkSync(someone.configuration)).toBe(moved);
  const {shop} = document.profiles;
  expect(someone.configured()).toEqual({...document, profile: 'sandbox', profiles: {shop: {...shop, timeout: 5}}});
  expect((await someone.run(['profiles', 'remove', 'shop'])).status).toBe(0);
  expect(someone.configured()).toEqual({version: 1, profile: 'sandbox', profiles: {}, later: {one: [1]}});
});

/** Mounts a folder as a read-only disk. */
const READ_ONLY = `mount -t tmpfs tmpfs /mnt && cp -a "$0/." /mnt && mount -t tmpfs -o mode=700 tmpfs "$0" &&
  cp -a /mnt/. "$0" && mount -o remount,ro "$0" && exec "$@"`;
/** Runs a program in a mount namespace that ends with it; others do not see the mount. */
const mounted = (folder: string, ...words: string[]): [string, string[]] => [
  'unshare',
  ['--map-root-user', '--mount', 'sh', '-c', READ_ONLY, folder, ...words],
];
const trial = spawnSync(...mounted(temporaryDirectory(afterAll), 'true'), {encoding: 'utf8'});
const noMount = trial.status === 0 ? undefined : (trial.error?.message ?? trial.stderr.trim());

test('can mount a disk, or skips one test and says why; fails in CI', () => {
  if (noMount) console.warn(`Skipped, for want of leave to mount a disk: ${noMount}`);
  if (process.env.CI === 'true') expect(noMount).toBeUndefined();
});

describe('a disk', () => {
  const login = ['login', '--with-token', '--insecure-storage', '--offline', '-p', 'second', '--base-url', URL];

  test('that is full: exit 15, old file intact, no key stored', async () => {
    const someone = await loggedIn(TEST_KEY, URL);
    await someone.run(['config', 'set', 'timeout', '5s']);
    const before = readFileSync(someone.configuration, 'utf8');
    for (const words of [['config', 'set', 'timeout', '6s'], login]) {
      // A file size limit acts like a full disk.
      const full = watchCommand(
        'bash',
        ['-c', `trap '' XFSZ; ulimit -f 0; exec "$@"`, '-', process.execPath, RUN, ...words],
        {
          env: cliEnvironment(someone.directory),
        },
      );
      full.child.stdin!.end(TEST_KEY);
      expect((await full.ended).status, full.stderr()).toBe(15);
      expect(full.stderr()).toMatch(/Nothing was changed\./);
      expect(looksBroken({stdout: full.stdout(), stderr: full.stderr()})).toBe(false);
    }
    expect(readFileSync(someone.configuration, 'utf8')).toBe(before);
    expect(someone.holding('MadeUp')).toHaveLength(1);
    expect(readdirSync(dirname(someone.configuration)).filter((name) => name.startsWith('.config'))).toEqual([]);
  });

  test.skipIf(noMount)('that may only be read: exit 15, and the old file is as it was', async () => {
    const someone = await loggedIn(TEST_KEY, URL);
    await someone.run(['config', 'set', 'timeout', '5s']);
    const before = readFileSync(someone.configuration, 'utf8');
    const folder = dirname(someone.configuration);
    for (const words of [['config', 'set', 'timeout', '6s'], ['logout'], ['profiles', 'use', 'sandbox']]) {
      const readOnly = watchCommand(...mounted(folder, process.execPath, RUN, ...words), {
        env: cliEnvironment(someone.directory),
      });
      expect((await readOnly.ended).status, readOnly.stderr()).toBe(15);
      expect(readOnly.stderr()).toContain(folder);
      expect(readOnly.stderr()).toContain('Nothing was changed.');
    }
    expect(readFileSync(someone.configuration, 'utf8')).toBe(before);
    expect((await someone.run(['config', 'get', 'timeout'])).stdout).toBe('5s\n');
  });
});
