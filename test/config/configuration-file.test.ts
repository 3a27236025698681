// The configuration file: owners and modes, links, and atomic changes.

import {spawnSync} from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {userInfo} from 'node:os';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {withProfile, type Configuration} from '../../src/config/profiles.js';
import {temporaryDirectory} from '../support/cli.js';
import {configurationIn, watched, writer} from '../support/config/configuration-writers.js';

const TEXT = '{"version":1,"profile":"shop","profiles":{"shop":{"keys":{},"max_amount":5}},"later":1}';
const user = process.getuid!();

const setLimit =
  (amount: number) =>
  (configuration: Configuration): Configuration =>
    withProfile(configuration, 'shop', (own) => ({...own, settings: {...own.settings, max_amount: amount}}));

/** A folder with a configuration, of this mode if given. */
function folder(mode = 0o600): {directory: string; path: string} {
  const directory = temporaryDirectory();
  const path = join(directory, 'config.json');
  writeFileSync(path, TEXT);
  chmodSync(path, mode);
  return {directory, path};
}

const caught = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
};

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
/** The files in the folder, without the lock. */
const left = (directory: string): string[] => readdirSync(directory).filter((name) => !name.startsWith('.lock'));

describe('without a file', () => {
  test('the configuration is empty, and reading creates nothing', () => {
    const directory = join(temporaryDirectory(), 'below', 'centavo');
    expect(configurationIn(directory).read()).toEqual({profiles: {}});
    expect(existsSync(directory)).toBe(false);
  });

  test('the first change creates it: 0600 in 0700', async () => {
    const directory = join(temporaryDirectory(), 'below', 'centavo');
    const written = await configurationIn(directory).update(setLimit(7));
    expect(written.profiles.shop?.settings).toEqual({max_amount: 7});
    expect([modeOf(directory), modeOf(join(directory, 'config.json'))]).toEqual(['700', '600']);
    expect(left(directory)).toEqual(['config.json']);
  });
});

describe('its mode and owner', () => {
  test.for(['600', '400', '640', '644', '444', '755'])('mode %s is read, and 600 once it is written', async (mode) => {
    const {directory, path} = folder(Number.parseInt(mode, 8));
    const configuration = configurationIn(directory);
    expect(configuration.read().profile).toBe('shop');
    await configuration.update(setLimit(7));
    expect(modeOf(path)).toBe('600');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({profiles: {shop: {max_amount: 7}}, later: 1});
  });

  test.for(['620', '660', '664', '602', '606', '622', '666', '777'])(
    'mode %s is refused, and nothing is written',
    async (mode) => {
      const {directory, path} = folder(Number.parseInt(mode, 8));
      const configuration = configurationIn(directory);
      const refusal = {
        kind: 'config',
        code: 'unsafe_file',
        message: `${path} is not safe to read.`,
        details: {
          why: `Other users can write to it (mode ${mode}).`,
          hint: `Restrict it to yourself: chmod 600 ${path}`,
          applied: 'no',
        },
      };
      expect(caught(() => configuration.read())).toMatchObject(refusal);
      await expect(configuration.update(setLimit(7))).rejects.toMatchObject(refusal);
      expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual([TEXT, mode]);
    },
  );

  test('in a folder with a space in its name is fixed by a command that can be pasted', () => {
    const directory = join(temporaryDirectory(), 'Application Support');
    mkdirSync(directory);
    const path = join(directory, 'config.json');
    writeFileSync(path, TEXT);
    chmodSync(path, 0o666);
    expect(caught(() => configurationIn(directory).read())).toMatchObject({
      details: {hint: `Restrict it to yourself: chmod 600 '${path}'`},
    });
  });

  test('refuses one of another user; accepts root’s, and any where files have no owner', () => {
    const {directory, path} = folder();
    if (user === 0) chownSync(path, 4321, 4321);
    const [owner, reader] = user === 0 ? [4321, 0] : [user, 4321];
    const nameOf = (id: number): string => (id === user ? userInfo().username : `user ${id}`);
    expect(() => configurationIn(directory, reader).read()).toThrow(
      expect.objectContaining({
        code: 'unsafe_file',
        details: expect.objectContaining({why: `It belongs to ${nameOf(owner)}, and this is ${nameOf(reader)}.`}),
      }),
    );
    expect(configurationIn(directory, owner).read().profile).toBe('shop');
    chmodSync(path, 0o666);
    expect(() => configurationIn(directory, owner).read()).toThrow(/is not safe to read/);
  });

  test.runIf(user === 0)('every user reads root’s file', () => {
    expect(configurationIn(folder().directory, 1000).read().profile).toBe('shop');
  });
});

describe('a symbolic link', () => {
  test('is followed and kept; its target is replaced in place', async () => {
    const [directory, elsewhere] = [temporaryDirectory(), temporaryDirectory()];
    const [path, target] = [join(directory, 'config.json'), join(elsewhere, 'settings.json')];
    writeFileSync(target, TEXT, {mode: 0o600});
    symlinkSync(target, path);
    const configuration = configurationIn(directory);
    await configuration.update(setLimit(7));
    expect(readlinkSync(path)).toBe(target);
    expect(lstatSync(target).isFile()).toBe(true);
    expect(configuration.read().profiles.shop?.settings.max_amount).toBe(7);
    expect([left(directory), left(elsewhere)]).toEqual([['config.json'], ['settings.json']]);
  });

  test('to a relative link is followed to the end', async () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'real'));
    writeFileSync(join(directory, 'real', 'file'), TEXT, {mode: 0o600});
    symlinkSync(join('real', 'file'), join(directory, 'second'));
    symlinkSync('second', join(directory, 'config.json'));
    await configurationIn(directory).update(setLimit(7));
    expect(readlinkSync(join(directory, 'config.json'))).toBe('second');
    expect(readlinkSync(join(directory, 'second'))).toBe(join('real', 'file'));
    expect(readFileSync(join(directory, 'real', 'file'), 'utf8')).toContain('"max_amount": 7');
  });

  test('to a missing file is kept, and the file is created', async () => {
    const directory = temporaryDirectory();
    symlinkSync('later.json', join(directory, 'config.json'));
    await configurationIn(directory).update(setLimit(7));
    expect(readlinkSync(join(directory, 'config.json'))).toBe('later.json');
    expect(modeOf(join(directory, 'later.json'))).toBe('600');
  });

  test('to a file that others may write to is refused', () => {
    const {path} = folder(0o666);
    const directory = temporaryDirectory();
    symlinkSync(path, join(directory, 'config.json'));
    expect(() => configurationIn(directory).read()).toThrow(/is not safe to read/);
  });

  test('to itself is an error with its path', () => {
    const directory = temporaryDirectory();
    symlinkSync('config.json', join(directory, 'config.json'));
    expect(() => configurationIn(directory).read()).toThrow(
      expect.objectContaining({kind: 'config', message: `${join(directory, 'config.json')} cannot be read.`}),
    );
  });
});

describe('something other than a file', () => {
  test('a folder in its place is refused', () => {
    const directory = temporaryDirectory();
    mkdirSync(join(directory, 'config.json'));
    expect(() => configurationIn(directory).read()).toThrow(expect.objectContaining({kind: 'config'}));
  });

  test('does not wait for a pipe in its place', () => {
    const directory = temporaryDirectory();
    expect(spawnSync('mkfifo', ['-m', '600', join(directory, 'config.json')]).status).toBe(0);
    expect(() => configurationIn(directory).read()).toThrow(expect.objectContaining({kind: 'config'}));
  });

  test('refuses an empty file', () => {
    const {directory, path} = folder();
    writeFileSync(path, '');
    expect(() => configurationIn(directory).read()).toThrow(expect.objectContaining({code: 'invalid_config'}));
  });
});

describe('a change that is not made', () => {
  test('leaves the file unchanged, and releases the lock', async () => {
    const {directory, path} = folder();
    const configuration = configurationIn(directory);
    await expect(
      configuration.update(() => {
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(readFileSync(path, 'utf8')).toBe(TEXT);
    await configuration.update(setLimit(7));
    expect(left(directory)).toEqual(['config.json']);
  });

  test('because nothing changes keeps the file, but still reports when it could not be written', async () => {
    const {directory, path} = folder();
    await configurationIn(directory).update((current) => current);
    expect([readFileSync(path, 'utf8'), left(directory)]).toEqual([TEXT, ['config.json']]);
    const nowhere = join(path, 'below');
    await expect(configurationIn(nowhere).update((current) => current)).rejects.toMatchObject({kind: 'local_io'});
  });

  test('because the folder cannot be created is exit 15 and names it', async () => {
    const directory = join(folder().path, 'below');
    await expect(configurationIn(directory).update(setLimit(7))).rejects.toMatchObject({
      kind: 'local_io',
      exitCode: 15,
      message: expect.stringContaining(directory),
    });
  });

  test('because the file is broken keeps that file', async () => {
    const {directory, path} = folder();
    writeFileSync(path, '{"version": 1,');
    await expect(configurationIn(directory).update(setLimit(7))).rejects.toMatchObject({kind: 'config'});
    expect(readFileSync(path, 'utf8')).toBe('{"version": 1,');
  });
});

test('six processes change it 12 times each, two are killed: it is always complete, and has every confirmed change', async () => {
  const directory = temporaryDirectory();
  const writers = ['a', 'b', 'c', 'd', 'e', 'f'].map((name, index) =>
    writer(directory, name, 12, index < 2 ? 3 + 5 * index : undefined),
  );
  const configuration = configurationIn(directory);
  const reads = await watched(configuration, writers);
  const {profiles} = configuration.read();
  expect(writers.slice(2).map(({name}) => profiles[name]?.settings.max_amount)).toEqual([12, 12, 12, 12]);
  // A killed process may leave its temporary file, and nothing else.
  expect(left(directory).filter((name) => !name.startsWith('.config.json.'))).toEqual(['config.json']);
  console.info(
    `Read ${reads} times while it was written; ${left(directory).length - 1} unfinished files left by 2 kills.`,
  );
});
