// Data on the disk when a function returns. Only a power cut would show it, so the system calls are recorded
// and passed on.

import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {basename, join} from 'node:path';
import {expect, test} from 'vitest';
import {replaceFile, replaceFileInPieces} from '../../src/storage/replace-file.js';
import {temporaryDirectory} from '../support/cli.js';

const NOTED = ['fdatasyncSync', 'fsyncSync', 'renameSync', 'writeFileSync', 'writeSync'] as const;
type Call = (file: number | string, ...rest: unknown[]) => unknown;

/** The recorded calls, in order: `write keys`, `sync keys`. */
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

test('replaces a file by a complete one, synced under a temporary name first', async () => {
  const directory = temporaryDirectory();
  const [path, folder] = [join(directory, 'keys'), basename(directory)];
  expect(await callsOf(() => replaceFile(path, 'all of it', 'token'))).toEqual([
    'write .keys.token',
    'sync .keys.token',
    'rename .keys.token',
    `sync ${folder}`,
  ]);
});

test('records a user’s file before its content is in place', async () => {
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
