// Runs programs as separate processes, and measures their time and memory.

import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync} from 'node:fs';

/** The empty program that others are compared with. */
export const NOTHING = ['-e', '0'];

/**
 * Runs Node with these arguments until it ends.
 * @param options the environment, the folder, and a text that the output must contain, and the longest time in
 *   milliseconds
 * @returns milliseconds of wall time, stdout, and the output on file descriptor 3
 * @throws when it fails, prints something else, or takes too long
 */
export function run(args, {env, cwd, expected = '', timeout = 60_000}) {
  const started = performance.now();
  const {status, error, output} = spawnSync(process.execPath, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    maxBuffer: 1 << 26,
    timeout,
  });
  const wall = performance.now() - started;
  const [, stdout, stderr, extra] = (output ?? []).map(String);
  if (status !== 0 || !stdout.includes(expected))
    throw new Error(`node ${args.join(' ')} ended with ${status ?? error}:\n${stdout}${stderr}`);
  return {wall, stdout, extra};
}

/** Runs the empty program, then this one: a disturbance mostly affects both of a pair. */
export const pair = (args, options, before = []) => ({
  nothing: run([...before, ...NOTHING], {...options, expected: ''}),
  program: run([...before, ...args], options),
});

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
}

/**
 * Peak memory in MB of a run of Node with these arguments, together with the processes that it starts.
 * @returns undefined where the system has no /proc
 */
export async function peakMemory(args, {env, cwd}) {
  const child = spawn(process.execPath, args, {cwd, env, stdio: 'ignore'});
  const ended = once(child, 'exit');
  const peaks = new Map();
  const look = (pid) => {
    try {
      const peak = /VmHWM:\s*(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      if (peak) peaks.set(pid, Number(peak));
      for (const each of readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').match(/\d+/g) ?? []) look(each);
    } catch {
      // It has ended.
    }
  };
  while (child.exitCode === null && child.signalCode === null) {
    look(child.pid);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await ended;
  if (peaks.size === 0) return undefined;
  return ([...peaks.values()].reduce((sum, peak) => sum + peak, 0) * 1024) / 1e6;
}
