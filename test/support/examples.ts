// The examples as they are started, and the conformance run against them as people run it.

import {spawn, type ChildProcess} from 'node:child_process';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {cli, temporaryDirectory, type CliResult} from './cli.js';

export const ROOT = join(import.meta.dirname, '../..');
export const EXAMPLE_SECRET = 'whsk_example_0123456789abcdefghij';

/** Starts a server, and waits for its address, which the pattern finds in its output. */
export async function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  pattern: RegExp,
): Promise<string> {
  const child = spawn(command, args, {
    cwd: ROOT,
    // A group of its own: a server with workers does not end them when it is killed.
    detached: true,
    env: {PATH: process.env.PATH, PAYREX_WEBHOOK_SECRET: EXAMPLE_SECRET, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => ended(child));
  let said = '';
  return new Promise((resolve, reject) => {
    const listen = (chunk: Buffer): void => {
      said += chunk.toString('utf8');
      const found = pattern.exec(said);
      if (found) resolve(found[1]!);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`${command} ended with status ${status}: ${said}`)));
  });
}

function ended(child: ChildProcess): Promise<void> | void {
  if (child.exitCode !== null || child.pid === undefined) return undefined;
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  process.kill(-child.pid, 'SIGKILL');
  return gone;
}

export function conformanceRun(url: string, stateCommand: string): Promise<CliResult> {
  const run = cli(temporaryDirectory(), {env: {CENTAVO_WEBHOOK_SECRET: EXAMPLE_SECRET}});
  return run(['webhooks', 'test', url, '--state-command', stateCommand, '--json']);
}
