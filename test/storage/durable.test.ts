// What is on the disk when a function returns. A killed process does not show it, only a power cut does: so the calls of the system
// are noted, and passed on.

import fs from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {basename, join} from 'node:path';
import {expect, test} from 'vitest';
import {append} from '../../src/storage/line-file.js';
import {replaceFile, replaceFileInPieces} from '../../src/storage/private-file.js';
import {auditIn, FINALIZING, OK} from '../support/audit/history.js';
import {temporaryDirectory} from '../support/cli.js';

const NOTED = ['fdatasyncSync', 'fsyncSync', 'renameSync', 'writeFileSync', 'writeSync'] as const;
type Call = (file: number | string, ...rest: unknown[]) => unknown;

/** What was done to which file meanwhile, in order: `write history.jsonl`, `sync history.jsonl`. */
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

test('a change is on the disk before it is sent, with the name of a new history; of how it ended, too', async () => {
  const directory = temporaryDirectory();
  const [audit, folder] = [auditIn(directory), basename(directory)];
  expect(await callsOf(() => audit.begin(FINALIZING))).toEqual([
    'write history.jsonl',
    'sync history.jsonl',
    `sync ${folder}`,
  ]);
  const added = ['write history.jsonl', 'sync history.jsonl'];
  expect(await callsOf(() => audit.step('send', ['bstm_7Hq2']))).toEqual(added);
  expect(await callsOf(() => audit.end(OK))).toEqual(added);
});

test('what came of a step need not be, before the next one', async () => {
  const path = join(temporaryDirectory(), 'lines');
  append(path, 'first\n');
  expect(await callsOf(() => append(path, 'second\n', {durable: false}))).toEqual(['write lines']);
});

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
  const audit = auditIn(directory);
  const record = (sha256: string): void => void audit.writes(path, sha256);
  expect(await callsOf(() => replaceFileInPieces(path, ['all ', 'of it'], 'token', {record}))).toEqual([
    'write .june-result.csv.token',
    'write .june-result.csv.token',
    'sync .june-result.csv.token',
    'write history.jsonl',
    'sync history.jsonl',
    `sync ${folder}`,
    'rename .june-result.csv.token',
    `sync ${folder}`,
  ]);
});
