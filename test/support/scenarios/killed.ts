// A machine whose commands can be killed at any of their requests, and the account that they work on.

import {createServer} from 'node:http';
import {onTestFinished} from 'vitest';
import {CONSISTENT_HEADER} from '../../../src/api/wire.js';
import {temporaryDirectory, type CliResult} from '../cli.js';
import {command, type CommandOptions} from '../commands.js';
import {watch} from '../processes.js';
import {requestOf} from '../services/http.js';
import {listen} from '../services/sockets.js';
import {skippedOn, sleepOn} from '../skipped-time.js';
import {Merchant} from './merchant.js';

/**
 * What happens at a request: `kill` ends the process without any last act, `lose` loses the answer.
 * `applied`: whether the service carries the request out.
 */
export interface Fault {
  /** The number of the request, from 1, or the first of this kind: `/^POST/`. */
  readonly at: RegExp | number;
  readonly is: 'kill' | 'lose';
  readonly applied: boolean;
}

export interface Ran extends CliResult {
  readonly requests: readonly string[];
}

type Done = (close: () => unknown) => void;

/** @param isConsistent true if reads show every change at once, so that commands need not wait */
export async function machine({isConsistent = false, done = onTestFinished as Done} = {}) {
  const home = temporaryDirectory(done);
  const merchant = new Merchant(':memory:', () => Math.floor((Date.now() + skippedOn(home)) / 1000));
  let fault: Fault | undefined;
  let requests: string[] = [];
  /** Changes that were applied, by any command. */
  const applied: string[] = [];
  let killed = (): void => {};
  const server = createServer(async (request, response) => {
    const asked = await requestOf(request);
    requests.push(asked.kind);
    const isHit = typeof fault?.at === 'object' ? fault.at.test(asked.kind) : fault?.at === requests.length;
    const now = isHit ? fault : undefined;
    if (isHit) fault = undefined;
    const answer = now && !now.applied ? undefined : await merchant.sandbox.handle(asked);
    if (answer && asked.isChange && answer.status < 300) applied.push(asked.kind);
    if (now?.is === 'kill') return killed();
    if (!answer || now) return request.socket.resetAndDestroy();
    const date = new Date(merchant.sandbox.now() * 1000).toUTCString();
    response.writeHead(answer.status, {...answer.headers, date, ...(isConsistent && {[CONSISTENT_HEADER]: '1'})});
    return response.end(answer.status === 204 ? undefined : answer.body);
  });
  const {url, close} = await listen(server);
  const env = {CENTAVO_BASE_URL: url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret, CENTAVO_TIMEOUT: '600s'};
  /** Commands that were killed stand still at their request, and are stopped in the end. */
  const left: {readonly stop: AbortController; readonly ended: Promise<unknown>}[] = [];
  let pid = 2 ** 22;
  done(async () => {
    for (const {stop} of left) stop.abort();
    await close();
    await Promise.all(left.map(({ended}) => ended));
    merchant.close();
  });
  /** @returns undefined if the command was killed */
  const run = async (
    argv: readonly string[],
    options: CommandOptions & {readonly fault?: Fault} = {},
  ): Promise<Ran | undefined> => {
    fault = options.fault;
    const own: string[] = (requests = []);
    const stop = new AbortController();
    const death = new Promise<undefined>((resolve) => (killed = () => resolve(undefined)));
    const host = {
      // No process of such a number lives.
      identity: {pid: ++pid, startedAt: 1},
      kill: () => {
        throw Object.assign(new Error('ESRCH'), {code: 'ESRCH'});
      },
      ...options.host,
    };
    const ended = command(home, argv, {pace: 0, ...options, env: {...env, ...options.env}, signal: stop.signal, host});
    const result = await Promise.race([ended, death]);
    fault = undefined;
    if (result) return {...result, requests: own};
    left.push({stop, ended});
    return undefined;
  };
  /** Lets time pass for the machine and the service. */
  const later = (seconds: number): Promise<void> => sleepOn(home, 0)(seconds * 1000);
  /** Runs a command as a process, and kills it at a request. */
  const runAndKill = async (argv: readonly string[], killedAt: Fault): Promise<void> => {
    fault = killedAt;
    const death = new Promise<void>((resolve) => (killed = resolve));
    const {child, ended} = watch(home, argv, {env});
    await Promise.race([death, ended]);
    child.kill('SIGKILL');
    if ((await ended).signal !== 'SIGKILL') throw new Error('It ended before it was killed.');
  };
  return {home, env, url, merchant, applied, run, runAndKill, later};
}

export type Machine = Awaited<ReturnType<typeof machine>>;
