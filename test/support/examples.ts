// The examples as they are started, and the conformance run against them as people run it.

import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {cli, temporaryDirectory, type CliResult} from './cli.js';
import {watchCommand} from './processes.js';

export const ROOT = join(import.meta.dirname, '../..');
export const EXAMPLE_SECRET = 'whsk_example_0123456789abcdefghij';

/** Starts a server, and waits for its address, which the pattern finds in its output. */
export async function start(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  pattern: RegExp,
): Promise<string> {
  const {child, ended, find, stdout, stderr} = watchCommand(command, args, {
    cwd: ROOT,
    // A group of its own: a server with workers does not end them when it is killed.
    detached: true,
    env: {PATH: process.env.PATH, PAYREX_WEBHOOK_SECRET: EXAMPLE_SECRET, ...env},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await ended.catch(() => {});
  });
  const found = await find(() => pattern.exec(stdout() + stderr()), `${command} does not print its address.`);
  return found[1]!;
}

export function conformanceRun(url: string, stateCommand: string): Promise<CliResult> {
  const run = cli(temporaryDirectory(), {env: {CENTAVO_WEBHOOK_SECRET: EXAMPLE_SECRET}});
  return run(['webhooks', 'test', url, '--state-command', stateCommand, '--json']);
}
