// What a simulated process owns: databases, whose open transaction is lost when it dies, and its connections to the service.

import {AsyncLocalStorage} from 'node:async_hooks';
import {createRequire, syncBuiltinESMExports} from 'node:module';
import type {Dispatcher} from 'undici';
import type {ApiResponse, HttpMethod, Transport} from '../../../src/api/wire.js';
import {TransportError} from '../../../src/client/call-errors.js';

export interface Killable {
  readonly isAlive: () => boolean;
  /** Called before and after each commit; may kill the process. */
  readonly commits: (when: 'after' | 'before') => void;
  /** Takes the place of the network. */
  readonly transport: Transport;
  /** Milliseconds since the epoch, by the clock of the service. */
  readonly serviceNow: () => number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly open: Set<Engine>;
}

const processes = new AsyncLocalStorage<Killable>();

/** Runs `work` as a process. */
export const asProcess = <T>(process: Killable, work: () => T): T => processes.run(process, work);

function running(): Killable | undefined {
  const owner = processes.getStore();
  if (owner && !owner.isAlive()) throw new Error('This process is dead.');
  return owner;
}

interface Engine {
  exec(sql: string): unknown;
  prepare(sql: string): Record<'all' | 'get' | 'run', (...values: unknown[]) => unknown>;
  close(): void;
}

const require = createRequire(import.meta.url);

// The client waits with this before it retries.
const timers = require('node:timers/promises') as typeof import('node:timers/promises');
const {setTimeout: wait} = timers;
timers.setTimeout = ((milliseconds, value, options) => {
  const owner = processes.getStore();
  return owner ? owner.sleep(milliseconds ?? 0, options?.signal) : wait(milliseconds, value, options);
}) as typeof wait;
syncBuiltinESMExports();

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const hasOwn = major > 22 || (major === 22 && minor >= 13);
const {prototype} = (hasOwn ? require('node:sqlite').DatabaseSync : require('libsql')) as {prototype: Engine};
const own = {exec: prototype.exec, prepare: prototype.prepare, close: prototype.close};

Object.assign(prototype, {
  exec(this: Engine, sql: string) {
    const owner = running();
    owner?.open.add(this);
    if (!owner || sql !== 'COMMIT') return own.exec.call(this, sql);
    owner.commits('before');
    running();
    own.exec.call(this, sql);
    owner.commits('after');
    return void running();
  },
  prepare(this: Engine, sql: string) {
    const statement = own.prepare.call(this, sql);
    if (!running()) return statement;
    // libsql runs statements of closed databases.
    for (const name of ['all', 'get', 'run'] as const) {
      const run = statement[name].bind(statement);
      statement[name] = (...values) => {
        running();
        return run(...values);
      };
    }
    return statement;
  },
  close(this: Engine) {
    processes.getStore()?.open.delete(this);
    own.close.call(this);
  },
} satisfies Record<keyof Engine, unknown>);

/** Rolls back and closes what a dead process left open, as the system does. */
export function closeAll({open}: Killable): void {
  for (const engine of open) {
    try {
      own.exec.call(engine, 'ROLLBACK');
    } catch {}
    own.close.call(engine);
  }
  open.clear();
}

const {prototype: dispatcher} = require('undici/lib/dispatcher/dispatcher-base.js') as {
  prototype: Pick<Dispatcher, 'dispatch'>;
};
const {dispatch} = dispatcher;

dispatcher.dispatch = function (
  this: Dispatcher,
  options: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
) {
  const owner = processes.getStore();
  if (!owner) return dispatch.call(this, options, handler);
  void exchange(owner, options, handler);
  return true;
};

async function exchange(
  {transport, serviceNow}: Killable,
  {method, path, headers, body}: Dispatcher.DispatchOptions,
  handler: Dispatcher.DispatchHandler,
): Promise<void> {
  const aborting = new AbortController();
  const controller = {
    abort: (reason: Error) => aborting.abort(reason),
  } as unknown as Dispatcher.DispatchController;
  const [where = '', query = ''] = path.split('?');
  const request = {
    ...{method: method as HttpMethod, path: where, query},
    headers: headers as Record<string, string>,
    body: (body as Buffer | null) ?? undefined,
  };
  // The databases of the service are not the process's.
  const answered = processes
    .exit(() => transport(request, {signal: aborting.signal}))
    .then(
      (response) => response,
      (error: unknown) => error as Error,
    );
  // A request that cannot leave fails at once.
  const first = await Promise.race([answered, new Promise((resolve) => setImmediate(resolve))]);
  const isUnsent = first instanceof TransportError && !first.sent;
  if (!isUnsent) handler.onRequestStart?.(controller, {});
  const response = await answered;
  if (response instanceof Error) return handler.onResponseError?.(controller, failure(response));
  respondWith(response, handler, controller, serviceNow());
}

const failure = (error: Error): Error =>
  error.message === 'no response in time'
    ? new DOMException(error.message, 'TimeoutError')
    : Object.assign(error, {code: 'ECONNRESET'});

function respondWith(
  {status, headers, body}: ApiResponse,
  handler: Dispatcher.DispatchHandler,
  controller: Dispatcher.DispatchController,
  at: number,
): void {
  handler.onResponseStart?.(controller, status, {...headers, date: new Date(at).toUTCString()}, '');
  handler.onResponseData?.(controller, Buffer.from(body));
  handler.onResponseEnd?.(controller, {});
}
