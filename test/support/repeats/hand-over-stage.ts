// A machine with a live account, an agent and a person. Every command can be killed at each of its requests and commits.

import {randomBytes} from 'node:crypto';
import {PassThrough} from 'node:stream';
import {onTestFinished} from 'vitest';
import type {Transport} from '../../../src/api/wire.js';
import {CONSISTENT_HEADER} from '../../../src/api/wire.js';
import {cliEnvironment, resultOf, temporaryDirectory, type CliResult} from '../cli.js';
import {assertNoOverride, runIn} from '../commands.js';
import {Merchant} from '../scenarios/merchant.js';
import {LIVE_KEY} from '../services/servers.js';
import {asProcess, closeAll, type Killable} from '../simulation/killable-process.js';

/** A question, and the keys that answer it. */
export type Answer = readonly [question: RegExp, keys: string | (() => string)];

export const YES: Answer = [/\(y\/N\)/, 'y\r'];
export const NO: Answer = [/\(y\/N\)/, 'n\r'];

export interface Ran extends CliResult {
  /** What a person sees: stdout and stderr, without colours. */
  readonly screen: string;
  /** Changes that this command sent, applied or not: `POST /refunds`. */
  readonly sent: readonly string[];
  /** Requests and commits of this command, each before and after. */
  readonly steps: number;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly input?: string;
  /** The folder of data; that of the stage by default. */
  readonly folder?: string;
  /** Kills the command at this step, from 1. */
  readonly killAt?: number;
  /** Answers a change instead of the service. `lost`: the change is applied, and its answer is lost. */
  readonly fault?: 'lost' | 'lost-before' | {readonly status: number};
  readonly columns?: number;
  /** True if the questions may come in any order, or not at all. */
  readonly anyOrder?: boolean;
  /** Runs at the first question, before it is answered. */
  readonly meanwhile?: () => Promise<unknown>;
}

const KINDS = /(?<=\/)(?:[a-z_]+_)?[a-z]+_[A-Za-z0-9]{8,}(?=\/|$)/g;
const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
// oxlint-disable-next-line no-control-regex
const ESCAPES = /\u001B\[[0-?]*[ -/]*[@-~]|\u001B[@-Z\\-_]|\r/g;

/** Above all pids of Linux. */
let pid = 5_000_000;

type Done = (close: () => unknown) => void;

/** @param done runs its argument when the stage is no longer needed */
export function handOverStage(done: Done = onTestFinished as Done) {
  const home = temporaryDirectory(done);
  /** Milliseconds by which waits and `later` have moved all clocks. */
  let ahead = 0;
  const now = (): number => Date.now() + ahead;
  const merchant = new Merchant(':memory:', () => Math.floor(now() / 1000));
  done(() => merchant.close());
  const living = new Set<number>();
  /** Changes that were applied, by any command. */
  const applied: string[] = [];
  let isDown = false;

  const runAs = async (
    argv: readonly string[],
    answers: readonly Answer[] | undefined,
    findAgent: (() => Promise<{variable: string; pid: number}>) | undefined,
    {env, input = '', folder = home, killAt, fault, columns = 80, meanwhile, anyOrder = false}: RunOptions,
  ): Promise<Ran | undefined> => {
    const sent: string[] = [];
    const own = {pid: ++pid, startedAt: pid};
    const stopping = new AbortController();
    let [isAlive, steps] = [true, 0];
    let killed = (): void => {};
    const death = new Promise<undefined>((resolve) => (killed = () => resolve(undefined)));
    const step = (): void => {
      if (++steps !== killAt) return;
      isAlive = false;
      living.delete(own.pid);
      closeAll(process);
      killed();
      throw new Error('Killed.');
    };
    const forever = new Promise<never>(() => {});
    const transport: Transport = async (request) => {
      if (!isAlive) return forever;
      const isChange = request.method !== 'GET';
      const kind = `${request.method} ${request.path.replace(KINDS, ':id')}`;
      const orDie = async (): Promise<void> => {
        try {
          step();
        } catch {
          await forever;
        }
      };
      await orDie();
      if (isDown) throw Object.assign(new Error('The network is down.'), {code: 'ECONNRESET'});
      if (isChange) sent.push(kind);
      const headers = {'content-type': 'application/json'};
      if (isChange && typeof fault === 'object')
        return {
          ...{status: fault.status, headers},
          body: JSON.stringify({errors: [{code: 'no', detail: 'Not today.'}]}),
        } as never;
      if (isChange && fault === 'lost-before') throw Object.assign(new Error('Lost.'), {code: 'ECONNRESET'});
      const answer = await merchant.sandbox.handle({
        ...request,
        headers: {...request.headers, authorization: basic(merchant.sandbox.keys.secret)},
      });
      if (isChange && answer.status < 300) applied.push(kind);
      await orDie();
      if (isChange && fault === 'lost') throw Object.assign(new Error('Lost.'), {code: 'ECONNRESET'});
      const body = Buffer.from(answer.body).toString().replaceAll('"livemode":false', '"livemode":true');
      return {...answer, headers: {...answer.headers, [CONSISTENT_HEADER]: '1'}, body: Buffer.from(body)} as never;
    };
    const sleep = async (milliseconds: number, signal?: AbortSignal): Promise<void> => {
      if (!isAlive) return forever;
      await new Promise((resolve) => setImmediate(resolve));
      signal?.throwIfAborted();
      ahead += milliseconds;
    };
    const process: Killable = {
      ...{isAlive: () => isAlive, commits: step, transport, serviceNow: now, sleep, open: new Set()},
    };
    living.add(own.pid);

    let [stdout, stderr, screen, matched] = ['', '', '', 0];
    const wanted = [...(answers ?? [])];
    const stdin = Object.assign(new PassThrough(), {isTTY: answers !== undefined, setRawMode: () => stdin});
    let asked = meanwhile;
    let isAsking = false;
    const answer = async (): Promise<void> => {
      const shown = screen.replace(ESCAPES, '');
      // A question is drawn again and again until it is answered.
      if (anyOrder && isAsking && !shown.slice(matched).includes('✔')) return;
      if (anyOrder && isAsking) matched = shown.indexOf('✔', matched) + 1;
      isAsking = false;
      // The answered question is drawn once more, in one piece.
      const rest = shown.slice(matched);
      const text = anyOrder ? rest.replace(/^.*?(?:Yes|No|made|know)\n/s, '') : rest;
      const [question, keys = ''] = (anyOrder ? wanted.find(([each]) => each.test(text)) : wanted[0]) ?? [];
      const found = question?.exec(text);
      if (!found) return;
      if (!anyOrder) wanted.shift();
      isAsking = true;
      matched = shown.length - text.length + found.index + found[0].length;
      const first = asked;
      asked = undefined;
      // What is typed before the question is shown is dropped.
      for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setImmediate(resolve));
      await first?.();
      stdin.write(typeof keys === 'string' ? keys : keys());
    };
    const stream = (add: (text: string) => void): any =>
      Object.assign(new PassThrough(), {
        write: (text: Buffer | string, ...rest: unknown[]) => {
          add(String(text));
          screen += String(text);
          void answer();
          (rest.at(-1) as (() => void) | undefined)?.();
          return true;
        },
        // Whatever is piped to the terminal does not close it.
        end: () => {},
        ...(answers !== undefined && {isTTY: true, columns}),
      });
    const ended = asProcess(process, () =>
      runIn(folder, argv, {
        env: cliEnvironment(folder, {
          ...{CENTAVO_BASE_URL: 'http://127.0.0.1:9', CENTAVO_SECRET_KEY: LIVE_KEY, NO_COLOR: '1', TERM: 'xterm'},
          ...env,
        }),
        stdin,
        stdout: stream((text) => (stdout += text)),
        stderr: stream((text) => (stderr += text)),
        readInputBytes: async () => Buffer.from(input),
        ...{now, steadyNow: now, sleep, randomBytes, findAgent},
        identity: own,
        signal: stopping.signal,
        kill: (other: number) => {
          if (!living.has(other)) throw Object.assign(new Error('No such process.'), {code: 'ESRCH'});
        },
      }),
    ).catch((error: unknown) => {
      if (isAlive) throw error;
      return forever;
    });
    const status = await Promise.race([ended, death]);
    living.delete(own.pid);
    if (status === undefined) return undefined;
    if (wanted.length > 0 && !anyOrder) screen += `\n[not asked: ${String(wanted[0]![0])}]`;
    if (findAgent) assertNoOverride(argv, stderr);
    return {...resultOf(status, stdout, stderr), screen: screen.replace(ESCAPES, ''), sent, steps};
  };

  const findAgent = async () => ({variable: 'CLAUDECODE', pid: 7});
  return {
    ...{home, merchant, applied, living},
    /** Runs a command as an agent does: through pipes, as JSON. */
    agent: async (argv: readonly string[], options: RunOptions = {}): Promise<Ran> =>
      (await runAs([...argv, '--json'], undefined, findAgent, options))!,
    /** Runs a command as an agent does through a pseudo-terminal. */
    agentAtTerminal: async (argv: readonly string[], answers: readonly Answer[] = [], options: RunOptions = {}) =>
      (await runAs(argv, answers, findAgent, options))!,
    /** Runs a command of a script without an agent. */
    script: async (argv: readonly string[], options: RunOptions = {}): Promise<Ran> =>
      (await runAs(argv, undefined, undefined, options))!,
    /** Runs a command at a person's terminal. */
    person: async (argv: readonly string[], answers: readonly Answer[] = [], options: RunOptions = {}): Promise<Ran> =>
      (await runAs(argv, answers, undefined, options))!,
    /** Runs a command at a person's terminal, and kills it at a step. @returns undefined if it was killed */
    personKilled: (argv: readonly string[], answers: readonly Answer[], killAt: number) =>
      runAs(argv, answers, undefined, {killAt, anyOrder: true}),
    /** Lets time pass, in seconds. */
    later: (seconds: number): void => void (ahead += seconds * 1000),
    cut: (down: boolean): void => void (isDown = down),
  };
}

export type HandOverStage = ReturnType<typeof handOverStage>;
