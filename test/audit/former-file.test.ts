// The lines in which earlier releases kept the history: all of them are taken over, once, whatever happens meanwhile.

import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {describe, expect, test} from 'vitest';
import type {Audit} from '../../src/audit/audit.js';
import {auditIn, FINALIZING, recordOne, recordsIn} from '../support/audit/history.js';
import {temporaryDirectory} from '../support/cli.js';

const WRITER = fileURLToPath(new URL('../support/audit/writer.mjs', import.meta.url));

const begun = (command: string): string =>
  JSON.stringify({type: 'begun', id: command, at: 1, profile: 'shop', mode: 'test', command, ids: ['bstm_1']});

function leftIn(directory: string, text: string): Audit {
  writeFileSync(join(directory, 'history.jsonl'), text);
  return auditIn(directory);
}

const commandsIn = (audit: Audit): string[] => recordsIn(audit).map(({command}) => command);
const beginnings = (count: number): string[] => Array.from({length: count}, (_, number) => `write ${number}`);
const linesOf = (commands: readonly string[]): string => commands.map((command) => `${begun(command)}\n`).join('');

describe('the file of an earlier release', () => {
  test('is kept under another name, and a folder in its place keeps that release from going on', () => {
    const directory = temporaryDirectory();
    const text = linesOf(['a', 'b']);
    const audit = leftIn(directory, text);
    expect(commandsIn(audit)).toEqual(['a', 'b']);
    expect(readFileSync(join(directory, 'history.jsonl.old-1'), 'utf8')).toBe(text);
    expect(lstatSync(join(directory, 'history.jsonl')).isDirectory()).toBe(true);
    recordOne(audit, {command: 'c'});
    expect(commandsIn(auditIn(directory))).toEqual(['a', 'b', 'c']);
  });

  test('is taken over before the first change is recorded', () => {
    const directory = temporaryDirectory();
    const audit = leftIn(directory, linesOf(['a']));
    audit.begin({...FINALIZING, command: 'b'});
    expect(commandsIn(audit)).toEqual(['a', 'b']);
  });

  test('is read whole, however long it is and wherever its pieces are cut', () => {
    const profiles = Array.from({length: 3000}, (_, index) => `tindahan-ñ-${'₱'.repeat(index % 400)}`);
    const lines = profiles.map((profile, index) => ({...FINALIZING, type: 'begun', id: `w${index}`, at: 1, profile}));
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    expect(Buffer.byteLength(text)).toBeGreaterThan(2 << 20);
    expect(recordsIn(leftIn(temporaryDirectory(), text)).map(({profile}) => profile)).toEqual(profiles);
  });

  test('cut after every byte, a line is there whole or not at all, and none beside it is harmed', () => {
    const before = `${begun('before')}\n`;
    const all = Buffer.from(`${before}${begun('torn')}\n`);
    for (let size = before.length; size <= all.length; size++) {
      const audit = leftIn(
        temporaryDirectory((clean) => cleanings.push(clean)),
        '',
      );
      writeFileSync(join(audit.path, '..', 'history.jsonl'), all.subarray(0, size));
      // Only the line break may be missing: then the line is whole all the same.
      expect(commandsIn(audit), `${size}`).toEqual(size >= all.length - 1 ? ['before', 'torn'] : ['before']);
      expect(audit.unreadable().lines, 'a torn end is no loss').toBe(0);
      audit.close();
      for (const clean of cleanings.splice(0)) clean();
    }
  });

  test('to which a process of that release still adds a line is read on', () => {
    const directory = temporaryDirectory();
    expect(commandsIn(leftIn(directory, linesOf(['a'])))).toEqual(['a']);
    appendFileSync(join(directory, 'history.jsonl.old-1'), linesOf(['b']));
    expect(commandsIn(auditIn(directory))).toEqual(['a', 'b']);
    expect(commandsIn(auditIn(directory))).toEqual(['a', 'b']);
  });

  test('that comes back, as when somebody removed the folder, is taken over too', () => {
    const directory = temporaryDirectory();
    expect(commandsIn(leftIn(directory, linesOf(['a'])))).toEqual(['a']);
    rmSync(join(directory, 'history.jsonl'), {recursive: true});
    expect(commandsIn(leftIn(directory, linesOf(['b'])))).toEqual(['a', 'b']);
    const names = readdirSync(directory).filter((name) => name.startsWith('history.jsonl'));
    expect(names.sort()).toEqual(['history.jsonl', 'history.jsonl.old-1', 'history.jsonl.old-2']);
  });

  test('is kept from coming back also where there was none', () => {
    const directory = temporaryDirectory();
    recordOne(auditIn(directory), {command: 'a'});
    expect(lstatSync(join(directory, 'history.jsonl')).isDirectory()).toBe(true);
  });

  test('that comes back under a name that was read before, which is gone, is taken over too', () => {
    const directory = temporaryDirectory();
    expect(commandsIn(leftIn(directory, linesOf(['a', 'b', 'c'])))).toEqual(['a', 'b', 'c']);
    rmSync(join(directory, 'history.jsonl'), {recursive: true});
    rmSync(join(directory, 'history.jsonl.old-1'));
    expect(commandsIn(leftIn(directory, linesOf(['d'])))).toEqual(['a', 'b', 'c', 'd']);
  });

  test('is not read again where the folder gets another name', () => {
    const directory = join(temporaryDirectory(), 'before');
    mkdirSync(directory);
    leftIn(directory, `${linesOf(['a'])}torn\n`).close();
    expect(auditIn(directory).unreadable()).toEqual({lines: 1, path: join(directory, 'history.jsonl.old-1')});
    const moved = `${directory}-moved`;
    renameSync(directory, moved);
    expect(commandsIn(auditIn(moved))).toEqual(['a']);
    expect(auditIn(moved).unreadable()).toEqual({lines: 1, path: join(moved, 'history.jsonl.old-1')});
  });

  test('that was renamed by a process that was then killed is read by the next one', () => {
    const directory = temporaryDirectory();
    leftIn(directory, linesOf(['a']));
    renameSync(join(directory, 'history.jsonl'), join(directory, 'history.jsonl.old-1'));
    const audit = auditIn(directory);
    recordOne(audit, {command: 'b'});
    expect(commandsIn(audit)).toEqual(['a', 'b']);
    expect(lstatSync(join(directory, 'history.jsonl')).isDirectory()).toBe(true);
  });

  test('is taken over once by processes that come at the same time, also when one is killed meanwhile', async () => {
    const directory = temporaryDirectory();
    const commands = beginnings(20_000);
    const audit = leftIn(directory, linesOf(commands));
    const started = Array.from({length: 4}, (_, index) =>
      spawn(process.execPath, [WRITER, audit.path, 'count', `process ${index}`, '1'], {
        stdio: ['pipe', 'pipe', 'inherit'],
      }),
    );
    await Promise.all(started.map((child) => once(child.stdout, 'data')));
    for (const child of started) child.stdin.write('g');
    // The first one that has begun: its folder is made within its transaction.
    while (!readdirSync(directory).includes('history.db-journal') && started.every(({exitCode}) => exitCode === null))
      await new Promise((resolve) => setImmediate(resolve));
    started[0]!.kill('SIGKILL');
    await Promise.all(started.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
    const found = commandsIn(auditIn(directory));
    expect(found.slice(0, commands.length)).toEqual(commands);
    expect(
      found
        .slice(commands.length)
        .filter((command) => !command.startsWith('process 0'))
        .sort(),
    ).toEqual([...['process 1 0', 'process 2 0', 'process 3 0']]);
  });
});

const cleanings: (() => void)[] = [];

describe('a line that is not as it should be', () => {
  function readingOf(text: string): {commands: string[]; unreadable: number} {
    const audit = leftIn(temporaryDirectory(), text);
    return {commands: commandsIn(audit), unreadable: audit.unreadable().lines};
  }
  test.for([
    'not JSON',
    '"text"',
    'null',
    '7',
    '[]',
    '{}',
    '\0\0\0\0',
    '{"type":7}',
    '{"type":"begun"}',
    '{"type":"begun","id":"w1","at":"today","command":"a"}',
    '{"type":"begun","id":"w1","at":1}',
    '{"type":"ended","id":"w1"}',
    '{"type":"step","id":"w1","step":"send"}',
    begun('torn').slice(0, -9),
  ])('is left out and counted: %j', (line) => {
    expect(readingOf(`${begun('a')}\n${line}\n${begun('b')}\n`)).toEqual({commands: ['a', 'b'], unreadable: 1});
  });

  test.for(['', ' ', '\r', '{"type":"renamed","id":"w1"}'])('is left out, and no loss: %j', (line) => {
    expect(readingOf(`${begun('a')}\n${line}\n${begun('b')}\n`)).toEqual({commands: ['a', 'b'], unreadable: 0});
  });

  test.for(['', '{"type":"begun","id":"w9"', '{"type":"begun","id":"w9","command":"says \\"{\\"', '\0\0\0'])(
    'does not take with it what stands behind it without a line break: %j',
    (torn) => {
      const glued = `${begun('a')}\n${torn}${begun('b')}\n${begun('c')}${begun('d')}\n`;
      expect(readingOf(glued)).toEqual({commands: ['a', 'b', 'c', 'd'], unreadable: torn === '' ? 0 : 1});
    },
  );

  test('of a later version is read as far as it is known', () => {
    const begin = {type: 'begun', v: 9, id: 'w1', at: 1, command: 'a', mode: 'shadow', ids: ['bstm_1', 7], who: {a: 1}};
    const end = {type: 'ended', v: 9, id: 'w1', result: 'ok', exit_code: 0, applied: 'partly', ids: 'bstm_2', by: 'x'};
    const audit = leftIn(temporaryDirectory(), `${JSON.stringify(begin)}\n${JSON.stringify(end)}\n`);
    expect(audit.unreadable().lines).toBe(0);
    expect(recordsIn(audit)).toEqual([
      {
        at: 1,
        profile: '',
        mode: 'shadow',
        command: 'a',
        ids: ['bstm_1'],
        amount: null,
        result: 'ok',
        exit_code: 0,
        applied: 'partly',
        ...{reason: null, step: null, step_at: null, steps: []},
        ended_at: null,
        number: null,
        customer: null,
        file: null,
        objects: [{id: 'bstm_1', number: null, customer: null, send: null}],
      },
    ]);
  });

  test('which was written again behind what others wrote meanwhile counts once', () => {
    const entry = (type: string, id: string, more: object): string => JSON.stringify({type, id, at: 1, ...more});
    const step = (ids: readonly string[]): string => entry('step', 'a', {step: 'send', ids});
    const end = (result: string): string => entry('ended', 'a', {result, ids: ['bstm_3']});
    const others = Array.from({length: 10}, (_, index) => begun(`other ${index}`));
    const lines = [begun('a'), ...others, begun('a'), step(['bstm_1']), step(['bstm_2']), end('ok'), end('ok')];
    const records = recordsIn(leftIn(temporaryDirectory(), lines.map((line) => `${line}\n`).join('')));
    expect(records).toHaveLength(11);
    expect(records.find(({command}) => command === 'a')).toMatchObject({
      result: 'ok',
      ids: ['bstm_1', 'bstm_2', 'bstm_3'],
    });
  });

  test('of a send that names no statement is about the one that was made', () => {
    const entry = (type: string, more: object): string => `${JSON.stringify({type, id: 'a', at: 1, ...more})}\n`;
    const steps = [
      {step: 'draft', ids: []},
      {step: 'draft', ids: ['bstm_2']},
      {step: 'send', ids: []},
    ];
    const lines = [`${begun('a')}\n`, ...steps.map((step) => entry('step', step))].join('');
    const audit = leftIn(temporaryDirectory(), lines.replaceAll('bstm_1', 'cus_1'));
    expect(audit.lastSend('bstm_2')).toEqual({at: 1, state: 'in_doubt'});
    expect(audit.lastSend('bstm_1')).toBeUndefined();
  });

  test('which is there twice counts once, and an end without its beginning not at all', () => {
    const end = JSON.stringify({type: 'ended', id: 'b', result: 'ok', exit_code: 0, applied: 'yes', ids: []});
    const audit = leftIn(temporaryDirectory(), `${begun('a')}\n${begun('a')}\n${end}\n`);
    expect(recordsIn(audit)).toMatchObject([{command: 'a', result: 'unfinished'}]);
  });
});
