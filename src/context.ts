// The composition root: everything impure a command needs, made when first asked for. Nothing else reads the environment or the clock.

import {setTimeout as delay} from 'node:timers/promises';
import {readFileSync, writeFileSync} from 'node:fs';
import type {AttemptReport} from './client/call.js';
import type {Client} from './client/client.js';
import {dataDirectory, deliveriesFile, sandboxFile, type Environment} from './config/paths.js';
import {resolve, type Connection} from './config/resolve.js';
import {createIo, type Io, type IoOptions} from './output/io.js';
import {createPrompt, type Prompt} from './output/prompt.js';
import type {EmbeddedSandbox} from './sandbox/embedded.js';
import {randomToken} from './token.js';
import type {DeliveryStore} from './webhooks/deliveries.js';
import type {ProcessIdentity} from './webhooks/leases.js';
import type {TunnelHost} from './webhooks/tunnels/tunnel.js';

/** What the process is given from outside. */
export interface Host extends IoOptions {
  readonly platform: NodeJS.Platform;
  readonly env: Environment;
  readonly version: string;
  /** Reads all of stdin. */
  readonly readInputBytes: () => Promise<Buffer>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly random: () => number;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** This process, as it is written into leases. */
  readonly identity: ProcessIdentity;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: 0 | 'SIGKILL' | 'SIGTERM') => unknown;
  /** Does what Ctrl-C does, for whoever reads the keys. */
  readonly interrupt: () => void;
  /** What starts this program: Node and its entry. */
  readonly self: readonly string[];
  readonly atExit: NonNullable<TunnelHost['atExit']>;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** What the command line says about the surroundings. */
export interface ContextFlags {
  profile?: string;
  /** Seconds. */
  timeout?: number;
  verbose?: boolean;
  input?: boolean;
}

export interface Context {
  readonly io: Io;
  readonly env: Environment;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly flags: ContextFlags;
  readonly prompt: Prompt;
  /** Unix seconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly nowMilliseconds: () => number;
  readonly random: () => number;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
  readonly host: Pick<Host, 'atExit' | 'identity' | 'interrupt' | 'kill' | 'self' | 'stdin' | 'stdout'>;
  readonly readInput: () => Promise<string>;
  readonly readInputBytes: () => Promise<Buffer>;
  readonly readFile: (path: string) => string;
  readonly readFileBytes: (path: string) => Buffer;
  readonly writeFile: (path: string, text: string) => void;
  readonly dataDirectory: () => string;
  /** Which account this command speaks to. @throws CentavoError kind `config` or `auth` */
  readonly connection: () => Promise<Connection>;
  /** Speaks to the connection's account. @throws CentavoError */
  readonly client: () => Promise<Client>;
  /** The embedded sandbox, whatever the connection is. @throws CentavoError kind `local_io` */
  readonly sandbox: () => Promise<EmbeddedSandbox>;
  /** Whether a delivery is genuine, and if not, what may have been done to it. */
  readonly signatures: () => Promise<typeof import('./webhooks/diagnosis.js')>;
  /** What tests an app's webhook handler. */
  readonly conformance: () => Promise<typeof import('./webhooks/conformance.js')>;
  /** What merchants do with statements, made of calls. */
  readonly billing: () => Promise<typeof import('./billing/compose.js')>;
  /** Listening, forwarding, tunnels. */
  readonly webhooks: () => Promise<typeof import('./webhooks/library.js')>;
  /** What was received. @throws CentavoError kind `local_io` */
  readonly deliveries: () => Promise<DeliveryStore>;
  readonly close: () => Promise<void>;
}

/** How long a command that ends may take to deliver the events that it caused, in milliseconds. */
const LONGEST_DELIVERY = 3000;

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

export function createContext(host: Host): Context {
  const flags: ContextFlags = {};
  const io = createIo(host);
  const closers: (() => unknown)[] = [];

  const connection = once(async () => {
    const {ENDPOINTS} = await import('./client/endpoints.js');
    return resolve({profile: flags.profile}, host.env, ENDPOINTS);
  });

  const sandbox = once(async () => {
    const {createEmbeddedSandbox} = await import('./sandbox/embedded.js');
    const made = createEmbeddedSandbox({
      path: sandboxFile(dataDirectory(host.env, host.platform)),
      now: () => Math.floor(host.now() / 1000),
    });
    closers.push(async () => {
      // The answer is printed; a receiver that does not answer may hold up the end of the command, and no more than this.
      await made.deliverOwn({within: LONGEST_DELIVERY, signal: host.signal});
      made.close();
    });
    return made;
  });

  const client = once(async () => {
    const [{createClient}, target] = await Promise.all([import('./client/client.js'), connection()]);
    const common = {
      userAgent: `centavo/${host.version} node/${process.versions.node.split('.')[0]} ${host.platform}`,
      timeout: flags.timeout === undefined ? undefined : flags.timeout * 1000,
      now: host.now,
      random: host.random,
      onAttempt: flags.verbose ? (report: AttemptReport) => io.note(attemptLine(report)) : undefined,
    };
    if (target.mode === 'sandbox') {
      const embedded = await sandbox();
      return createClient({...common, key: embedded.keys.secret, transport: embedded.handle});
    }
    const made = createClient({
      ...common,
      key: target.key!.value,
      baseUrl: target.baseUrl!.value,
      encoding: target.encoding!.value,
      proxy: {
        http: host.env.http_proxy ?? host.env.HTTP_PROXY,
        https: host.env.https_proxy ?? host.env.HTTPS_PROXY,
        none: host.env.no_proxy ?? host.env.NO_PROXY,
      },
    });
    closers.push(made.close);
    return made;
  });

  const webhooks = once(() => import('./webhooks/library.js'));

  const deliveries = once(async () => {
    const {openDeliveries} = await webhooks();
    const store = openDeliveries(deliveriesFile(dataDirectory(host.env, host.platform)), {
      now: host.now,
      owner: host.identity,
    });
    closers.push(() => store.close());
    return store;
  });

  return {
    io,
    env: host.env,
    version: host.version,
    signal: host.signal,
    flags,
    prompt: createPrompt(io, host.stderr, () => flags.input !== false),
    now: () => Math.floor(host.now() / 1000),
    nowMilliseconds: host.now,
    random: host.random,
    token: (length) => randomToken(host.randomBytes, length),
    sleep: (milliseconds, signal) => delay(milliseconds, undefined, {signal}),
    host,
    readInput: async () => (await host.readInputBytes()).toString('utf8'),
    readInputBytes: host.readInputBytes,
    readFile: (path) => readFileSync(path, 'utf8'),
    readFileBytes: (path) => readFileSync(path),
    writeFile: (path, text) => writeFileSync(path, text),
    dataDirectory: () => dataDirectory(host.env, host.platform),
    connection,
    client,
    sandbox,
    signatures: () => import('./webhooks/diagnosis.js'),
    conformance: () => import('./webhooks/conformance.js'),
    billing: () => import('./billing/compose.js'),
    webhooks,
    deliveries,
    close: async () => {
      for (const close of closers.splice(0)) await close();
    },
  };
}

/** One attempt of a call, as `--verbose` shows it. */
function attemptLine({
  method,
  path,
  attempt,
  status,
  failure,
  milliseconds,
  retryInMilliseconds,
}: AttemptReport): string {
  const outcome = status ?? failure;
  const retry = retryInMilliseconds === undefined ? '' : `, again in ${retryInMilliseconds} ms`;
  return `${method} ${path} → ${outcome} (${milliseconds} ms${attempt > 1 ? `, attempt ${attempt}` : ''}${retry})`;
}
