// Child programs: real ones, which print, hang, leave descendants and end in every way.

import {execFileSync} from 'node:child_process';
import {mkdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {describe, expect, onTestFinished, test} from 'vitest';
import {captureOutput, type CaptureOptions} from '../../src/processes/capture-output.js';
import {livenessCheck, processIdentityOf} from '../../src/processes/process-identity.js';
import {locateProgram} from '../../src/processes/child-program.js';
import {
  copyKeepingScreen,
  describeExit,
  startProgram,
  type ChildProgram,
  type ProgramOptions,
} from '../../src/processes/child-program.js';
import {processesOf} from '../support/config/keychain-session.js';
import {temporaryDirectory} from '../support/cli.js';

interface Setting {
  readonly home: string;
  readonly host: ProgramOptions['host'];
  readonly start: (script: string, options?: Partial<ProgramOptions>) => ChildProgram;
  readonly ask: (script: string, options?: Partial<CaptureOptions>) => ReturnType<typeof captureOutput>;
  readonly left: () => number[];
  readonly untilLeft: (count: number) => Promise<void>;
}

/** A separate home, which identifies its processes; none outlives the test. */
function setting(): Setting {
  const home = temporaryDirectory();
  const left = (): number[] => processesOf(home, /./);
  onTestFinished(() => {
    for (const pid of left()) process.kill(pid, 'SIGKILL');
  });
  const host = {
    env: {PATH: process.env.PATH, HOME: home, CENTAVO_SECRET_KEY: 'never', CENTAVO_PROFILE: 'shop'},
    kill: (pid: number, signal: NodeJS.Signals) => process.kill(pid, signal),
  };
  return {
    home,
    host,
    left,
    start: (script, options) => startProgram(['sh', '-c', script], {host, ...options}),
    ask: (script, options) => captureOutput(['sh', '-c', script], {host, timeout: 10_000, maxBytes: 1000, ...options}),
    untilLeft: async (count) => {
      while (left().length !== count) await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('copies output without what clears a terminal, wherever a chunk ends; colours and other movements stay', () => {
  const cleared = '\u001Bc\u001B[2J\u001B[3J\u001B[H\u001B[1;1H\u001B[;H\u001B[0;0f';
  const kept = '\u001B[32m₱1\u001B[39m\u001B[2K\u001B[5;1H\u001B[1A';
  const text = Buffer.from(`a${cleared}b${kept}${cleared}\n`);
  for (let at = 1; at < text.length; at++) {
    const from = new PassThrough();
    let shown = '';
    copyKeepingScreen(from, {write: (part) => (shown += part)});
    from.write(text.subarray(0, at));
    from.read();
    from.write(text.subarray(at));
    from.read();
    expect(shown, String(at)).toBe(`ab${kept}\n`);
  }
});

const STUBBORN = 'trap "" TERM; sleep 1000 & sleep 1000';

describe('a program', () => {
  test.each([
    ['exit 3', {status: 3}, 'ended with status 3'],
    ['kill -9 $$', {signal: 'SIGKILL'}, 'was ended by SIGKILL'],
  ])('ends: %s', async (script, end, words) => {
    const ended = await setting().start(script).ended;
    expect(ended).toEqual(end);
    expect(describeExit(ended)).toBe(words);
  });

  test('that cannot be started reports it in `ended`', async () => {
    const {host} = setting();
    for (const [words, code] of [
      [['no-such-program'], 'ENOENT'],
      [['sh', 'a\0b'], 'ERR_INVALID_ARG_VALUE'],
    ] as const) {
      const program = startProgram(words, {host});
      expect((await program.ended).notStarted).toMatchObject({code});
      await program.end();
    }
  });

  test('gets no secret of centavo', async () => {
    const answer = await setting().ask('env');
    expect(String(answer.how === 'ended' && answer.output)).toMatch(/^CENTAVO_PROFILE=shop$/m);
    expect(String(answer.how === 'ended' && answer.output)).not.toContain('never');
  });

  test('is read to its end on a machine that holds this process when the program ends', async () => {
    const {home, start, ask, left} = setting();
    const go = join(home, 'go');
    execFileSync('mkfifo', [go]);
    const late = ask('read -r word < "$HOME/go"; echo "$word"');
    const first = start('echo first', {stdio: ['ignore', 'pipe', 'ignore']});
    first.stdout!.once('data', () => {
      // The end of the first program is known already, and shows that of the other before its output is read.
      writeFileSync(go, 'hunter2\n');
      while (left().length > 0);
      setImmediate(() => {
        const until = performance.now() + 300;
        while (performance.now() < until);
      });
    });
    while (left().length > 1);
    expect(await late).toMatchObject({how: 'ended', status: 0, output: Buffer.from('hunter2\n')});
  });

  test('gets SIGTERM first, and can clean up', async () => {
    const {start, untilLeft} = setting();
    const program = start(`trap 'exit 7' TERM; while :; do sleep 0.02; done`);
    await untilLeft(2);
    await program.end();
    expect(await program.ended).toEqual({status: 7});
  });

  test('that ignores SIGTERM is killed, with all that it started', async () => {
    const {start, untilLeft, left} = setting();
    const program = start(STUBBORN, {grace: 100});
    await untilLeft(3);
    await Promise.all([program.end(), program.end()]);
    expect(await program.ended).toEqual({signal: 'SIGKILL'});
    await untilLeft(0);
    expect(left()).toEqual([]);
  });

  test('that shares the terminal is ended with its descendants too', async () => {
    const {start, untilLeft} = setting();
    const program = start(STUBBORN, {grace: 100, sharesTerminal: true});
    await untilLeft(3);
    await program.end();
    await untilLeft(0);
  });

  test('that ended by itself also ends its descendants, unless they may continue', async () => {
    const {start, untilLeft} = setting();
    await start('sleep 1000 & exit').ended;
    await untilLeft(0);
    await start('sleep 1000 & exit', {leavesDescendants: true}).ended;
    // While it starts, it briefly has no environment.
    await untilLeft(1);
  });

  test('is killed when this process ends, unless it ended before', async () => {
    const {host, start, untilLeft} = setting();
    const cleanUps = new Set<() => void>();
    const atExit = (cleanUp: () => void): (() => void) => {
      cleanUps.add(cleanUp);
      return () => cleanUps.delete(cleanUp);
    };
    await start('exit', {host: {...host, atExit}}).ended;
    expect(cleanUps.size).toBe(0);
    const program = start(STUBBORN, {host: {...host, atExit}});
    await untilLeft(3);
    for (const cleanUp of cleanUps) cleanUp();
    expect(await program.ended).toEqual({signal: 'SIGKILL'});
    await untilLeft(0);
  });
});

describe('captured output', () => {
  test('is the output of the program, with its exit', async () => {
    expect(await setting().ask('cat; echo two; exit 3')).toEqual({
      how: 'ended',
      status: 3,
      output: Buffer.from('two\n'),
    });
  });

  test('comes from a program whose input stays open', async () => {
    const {ask} = setting();
    expect(await ask('read -r line; echo "$line"', {input: 'one\n'})).toMatchObject({output: Buffer.from('one\n')});
    expect(await ask('cat', {input: 'one\n', timeout: 300})).toEqual({how: 'late'});
  });

  test('stops at the time limit, and no process remains', async () => {
    const {ask, untilLeft} = setting();
    expect(await ask(STUBBORN, {timeout: 300})).toEqual({how: 'late'});
    await untilLeft(0);
  });

  test('stops at the limit of bytes', async () => {
    const {ask, untilLeft} = setting();
    expect(await ask('printf %1000s', {maxBytes: 1000})).toMatchObject({how: 'ended', status: 0});
    expect(await ask('yes')).toEqual({how: 'too_much'});
    await untilLeft(0);
  });

  test('stops at the signal, or the program is not started', async () => {
    const {ask, left, untilLeft} = setting();
    const controller = new AbortController();
    const asking = ask(STUBBORN, {signal: controller.signal});
    await untilLeft(3);
    controller.abort();
    expect(await asking).toEqual({how: 'interrupted'});
    await untilLeft(0);
    expect(await ask('sleep 1000', {signal: controller.signal})).toEqual({how: 'interrupted'});
    expect(left()).toEqual([]);
  });

  test('splits stderr into lines at every line ending, in any chunks', async () => {
    const lines: string[] = [];
    const script = String.raw`printf 'one\r' >&2; sleep 0.1; printf '\ntwo\rthree\n\nfour' >&2; head -c 9000 /dev/zero | tr '\0' x >&2`;
    await setting().ask(script, {onStderr: (line) => lines.push(line)});
    expect(lines.slice(0, 4)).toEqual(['one', 'two', 'three', '']);
    expect(lines[4]).toBe(`four${'x'.repeat(8188)}`);
    expect(lines).toHaveLength(5);
  });
});

test('locates a program where a start would find it, and nowhere else', async () => {
  const folders = [join(temporaryDirectory(), 'a'), join(temporaryDirectory(), 'b'), join(temporaryDirectory(), 'c')];
  for (const folder of folders) mkdirSync(folder);
  const env = {PATH: folders.join(':')};
  writeFileSync(join(folders[0]!, 'tool'), '', {mode: 0o600});
  mkdirSync(join(folders[1]!, 'tool'));
  expect(await locateProgram('tool', env)).toBeUndefined();
  const path = join(folders[2]!, 'tool');
  writeFileSync(path, '', {mode: 0o700});
  expect(await locateProgram('tool', env)).toBe(path);
  expect(await locateProgram('tool', {Path: env.PATH})).toBe(path);
  expect(await locateProgram(path, {})).toBe(path);
  expect(await locateProgram('tool', {})).toBeUndefined();
});

test('recognizes a recorded process by its number and start', () => {
  const isAlive = livenessCheck((pid, signal) => process.kill(pid, signal));
  const began = Date.now() - process.uptime() * 1000;
  const {startedAt} = processIdentityOf(process.pid, began);
  expect(isAlive(process.pid, startedAt)).toBe(true);
  expect(isAlive(2 ** 30, startedAt)).toBe(false);
  // On systems without /proc.
  expect(processIdentityOf(2 ** 30, began)).toEqual({pid: 2 ** 30, startedAt: began});
  if (process.platform !== 'linux') return;
  // Independent of the clock.
  expect(processIdentityOf(process.pid, began + 3_600_000).startedAt).toBe(startedAt);
  expect(isAlive(process.pid, startedAt - 10)).toBe(false);
});
