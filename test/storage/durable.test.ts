// What is on the disk when a function returns. A killed process does not show it, only a power cut does: so the calls of the system
// are noted, and passed on.

import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {basename, join} from 'node:path';
import {expect, test} from 'vitest';
import {replaceFile, replaceFileInPieces} from '../../src/storage/private-file.js';
import {temporaryDirectory} from '../support/cli.js';

const NOTED = ['fdatasyncSync', 'fsyncSync', 'renameSync', 'writeFileSync', 'writeSync'] as const;
type Call = (file: number | string, ...rest: unknown[]) => unknown;

/** What was done to which file meanwhile, in order: `write keys`, `sync keys`. */
async function callsOf(work: () => unknown): Promise<string[]> {
  const system = fs as unknown as Record<string, Call>;
  const originals = new Map(['openSync', ...NOTED].map((name) => [name, system[name]!]));
  const opened = new Map<unknown, string>();
  const calls: string[] = [];
  system.openSync = (path, ...rest) => {
    const file = originals.get('openSync')!(path, ...rest);
    opened.set(file, basename(String(path)));
    return file;
  };
  for (const name of NOTED) {
    const verb = /sync./.test(name) ? 'sync' : name.replace(/(File)?Sync$/, '');
    system[name] = (file, ...rest) => {
      const done = originals.get(name)!(file, ...rest);
      calls.push(`${verb} ${opened.get(file) ?? basename(String(file))}`);
      return done;
    };
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    for (const [name, original] of originals) system[name] = original;
    syncBuiltinESMExports();
  }
  return calls;
}

test('a file is replaced by one that is whole and on the disk, under another name until then', async () => {
  const directory = temporaryDirectory();
  const [path, folder] = [join(directory, 'keys'), basename(directory)];
  expect(await callsOf(() => replaceFile(path, 'all of it', 'token'))).toEqual([
    'write .keys.token',
    'sync .keys.token',
    'rename .keys.token',
    `sync ${folder}`,
  ]);
});

test('a file that a user named is recorded before it has its content', async () => {
  const directory = temporaryDirectory();
  const [path, folder] = [join(directory, 'june-result.csv'), basename(directory)];
  const record = (sha256: string): void => fs.writeFileSync(join(directory, 'record'), sha256);
  expect(await callsOf(() => replaceFileInPieces(path, ['all ', 'of it'], 'token', {record}))).toEqual([
    'write .june-result.csv.token',
    'write .june-result.csv.token',
    'sync .june-result.csv.token',
    'write record',
    'rename .june-result.csv.token',
    `sync ${folder}`,
  ]);
});
