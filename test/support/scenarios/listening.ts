// A running `webhooks listen --json`, or another that prints such records: its records as they come, and events signed as the service signs them.

import {once} from 'node:events';
import {request as httpRequest, type IncomingMessage} from 'node:http';
import {text} from 'node:stream/consumers';
import {onTestFinished} from 'vitest';
import {watchInProcess} from '../commands.js';
import {watch, type Watched, type WatchOptions} from '../processes.js';
import {eventBytes, SECRET, signatureOf} from '../webhooks/events.js';

export {eventBytes, SECRET, signatureOf, unixNow} from '../webhooks/events.js';

/** A record, whatever its type. */
export type ListenLine = Record<string, any>;

export interface Running extends Watched {
  /** Every line of stdout so far. */
  readonly records: () => ListenLine[];
  /** The first record of this type that holds; rejects when listening ends without. */
  readonly next: (type: string, holds?: (record: ListenLine) => boolean) => Promise<ListenLine>;
  /** Resolves with the match when stderr has it. */
  readonly said: (pattern: RegExp) => Promise<RegExpExecArray>;
  /** Sends a signal and waits for the end. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Resolves with the match when stderr has it. */
export const said = (watched: Watched, pattern: RegExp): Promise<RegExpExecArray> =>
  watched.find(() => pattern.exec(watched.stderr()), `stderr has no ${String(pattern)}.`);

export interface ListeningOptions extends WatchOptions {
  /** In a process of its own: for SIGKILL, closed streams, two listeners of a folder, and programs that inherit its streams. */
  readonly isProcess?: boolean;
}

/** Listens until the test is done, at the latest. */
export const listening = (directory: string, words: readonly string[] = [], options: ListeningOptions = {}): Running =>
  running(directory, ['webhooks', 'listen', '--json', ...words], options);

/** The same in a process. */
export const listeningProcess: typeof listening = (directory, words, options) =>
  listening(directory, words, {...options, isProcess: true});

export function running(
  directory: string,
  words: readonly string[],
  {isProcess = false, ...options}: ListeningOptions = {},
): Running {
  const watched = (isProcess ? watch : watchInProcess)(directory, words, options);
  const {child, stdout, ended} = watched;
  onTestFinished(async () => {
    child.kill(isProcess ? 'SIGKILL' : 'SIGTERM');
    await ended;
  });
  const records = () =>
    stdout()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as ListenLine);
  return {
    ...watched,
    records,
    next: (type, holds = () => true) =>
      watched.find(() => records().find((record) => record.type === type && holds(record)), `No ${type} came.`),
    said: (pattern) => said(watched, pattern),
    stop: async (signal = 'SIGINT') => {
      child.kill(signal);
      return (await ended).status;
    },
  };
}

/** Listens with {@link SECRET}, and registers nothing. */
export function listeningWithSecret(directory: string, words: readonly string[] = [], options: ListeningOptions = {}) {
  const running = listening(directory, ['--secret-stdin', ...words], options);
  running.child.stdin!.end(SECRET);
  return running;
}

/** Posts bytes, signed unless another signature, or none, is given. */
export async function post(
  url: string,
  body: Buffer = eventBytes(),
  {signature = signatureOf(body), method = 'POST', headers = {}}: PostOptions = {},
) {
  const signed = signature === '' ? {} : {'Payrex-Signature': signature};
  const options = {method, agent: false, headers: {'Content-Type': 'application/json', ...signed, ...headers}};
  const request = httpRequest(url, options).end(method === 'GET' ? undefined : body);
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return {status: response.statusCode!, text: await text(response), headers: response.headers};
}

interface PostOptions {
  readonly signature?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
}
