// The composition root: everything impure that a command needs, made on first use. Nothing else reads the environment or the clock.

import {createReadStream} from 'node:fs';
import {join} from 'node:path';
import type {Audit} from './audit/audit.js';
import type {AuditedEnd, Subject} from './audit/entries.js';
import {dataDirectory} from './config/paths.js';
import {isSet, type Environment} from './environment.js';
import {once, openAccounts, type Accounts, type ContextFlags} from './context/accounts.js';
import {noteNumber} from './context/names.js';
import {readNamedFile} from './context/whole-input.js';
import {createIo, type Io, type IoOptions} from './output/io.js';
import {createPrompt, type Prompt} from './output/prompt/prompt.js';
import {aliveBy, type IsAlive, type ProcessIdentity} from './programs/identity.js';
import type {EmbeddedSandbox} from './sandbox/embedded.js';
import type {Asked, UserFile} from './storage/user-file.js';
import {randomToken} from './random-token.js';
import type {DeliveryStore} from './webhooks/store/deliveries.js';
import type {Registrar} from './webhooks/listen/registration.js';

export type {UserFile} from './storage/user-file.js';

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
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** Identifies this process in leases. */
  readonly identity: ProcessIdentity;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: 0 | 'SIGKILL' | 'SIGTERM') => unknown;
  /** Does what Ctrl-C does, for code that reads the keyboard in raw mode. */
  readonly interrupt: () => void;
  /** Does what Ctrl-Z does, for such code. @param resumed is called when the process is in the foreground again */
  readonly suspend: (resumed: () => void) => void;
  /** Options of Node's that stand before the entry. */
  readonly execArgv: readonly string[];
  /** What starts this program: Node and its entry. */
  readonly self: readonly string[];
  /** Registers something to do, synchronously, if the process ends first. @returns unregisters it */
  readonly atExit: (cleanUp: () => void) => () => void;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Id of the user this process runs as; undefined where users have none. */
  readonly user: number | undefined;
}

export interface Context
  extends Accounts, Pick<Host, 'env' | 'random' | 'readInputBytes' | 'signal' | 'sleep' | 'version'> {
  /** The process itself, for code that runs programs or draws on the terminal. */
  readonly host: Pick<
    Host,
    | 'atExit'
    | 'env'
    | 'identity'
    | 'interrupt'
    | 'kill'
    | 'platform'
    | 'self'
    | 'stderr'
    | 'stdin'
    | 'stdout'
    | 'suspend'
    | 'user'
  >;
  readonly io: Io;
  readonly flags: ContextFlags;
  readonly prompt: Prompt;
  /** Unix seconds. */
  readonly now: () => number;
  /** Milliseconds since the epoch. */
  readonly nowMilliseconds: () => number;
  /** Unix seconds at the account whose objects are shown: the sandbox has a clock of its own, which can be advanced. */
  readonly shownAt: () => number;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
  /** All of stdin, as text. */
  readonly readInput: () => Promise<string>;
  /** All of a file that the flag `name` names. @throws CentavoError kind `usage` */
  readonly readFile: typeof readNamedFile;
  /** The folder of what centavo keeps. @throws CentavoError kind `config` */
  readonly dataDirectory: () => string;
  /** The embedded sandbox, whatever the connection is. @throws CentavoError kind `local_io` */
  readonly sandbox: () => Promise<EmbeddedSandbox>;
  /** Moves a sandbox that cannot be read out of the way; the next command makes a new one. @returns where it is now. @throws CentavoError kind `local_io` */
  readonly setSandboxAside: () => Promise<string>;
  /** The composite operations on statements. */
  readonly billing: () => Promise<typeof import('./billing/index.js')>;
  /** Imports: many statements from a file. */
  readonly imports: () => Promise<typeof import('./billing/import/index.js')>;
  /** Whether a process still runs. */
  readonly isAlive: IsAlive;
  /** A file that a user names to be written, judged before anything is sent. @throws CentavoError kind `local_io`, `refused` or `usage` */
  readonly fileToWrite: (path: string, asked: Asked) => Promise<UserFile>;
  /** The bytes of a file, piece by piece. */
  readonly openFile: (path: string) => AsyncIterable<Uint8Array>;
  /** What names an object to a person, by its id: the number of a statement, what was typed for a customer. */
  readonly names: Map<string, string>;
  /** What was seen of the statements that were looked up in this command, by their ids: for the history. */
  readonly subjects: Map<string, Subject>;
  /** Webhooks: signatures, listening, forwarding, handler tests. */
  readonly webhooks: () => Promise<typeof import('./webhooks/index.js')>;
  /** Registers webhooks with the connection's account, for these kinds of event. @throws CentavoError */
  readonly registrar: (events: readonly string[]) => Promise<Registrar>;
  /** What was received. @throws CentavoError kind `local_io` */
  readonly deliveries: () => Promise<DeliveryStore>;
  /** What was changed from this machine. @throws CentavoError kind `config` */
  readonly audit: () => Promise<Audit>;
  /** Whether this command has begun a change whose end has not been recorded yet. */
  readonly change: () => Audit['open'];
  /** Whether this command has sent a change, as far as this machine can tell. */
  readonly hasSent: () => boolean;
  /** Records how the command ended, if it changed anything. */
  readonly finish: (outcome: AuditedEnd) => void;
  readonly close: () => Promise<void>;
}

/** Milliseconds that a command waits at its end for the delivery of the events that it caused. */
const LONGEST_DELIVERY = 3000;

const SANDBOX_FILE = 'sandbox.db';

export function createContext(host: Host): Context {
  const flags: ContextFlags = {};
  const io = createIo(host);
  const closers: (() => unknown)[] = [];
  const now = () => Math.floor(host.now() / 1000);
  const directory = () => dataDirectory(host.env, host.platform);
  const fileNamed = (name: string) => join(directory(), name);
  const token = () => randomToken(host.randomBytes, 16);
  const names = new Map<string, string>();
  let changeSent = false;
  const accounts = openAccounts({
    host,
    io,
    flags,
    token,
    userAgent: `centavo/${host.version} node/${process.versions.node.split('.')[0]} ${host.platform}`,
    sandbox: () => sandbox(),
    onAnswer: (answer) => noteNumber(names, answer),
    onChangeSent: () => (changeSent = true),
    onClose: (close) => closers.push(close),
  });

  let sandboxNow: (() => number) | undefined;
  const sandbox = once(async () => {
    const {createEmbeddedSandbox} = await import('./sandbox/embedded.js');
    const made = createEmbeddedSandbox({
      path: fileNamed(SANDBOX_FILE),
      now,
      whenDamaged: 'To replace it with an empty one: centavo sandbox reset',
    });
    sandboxNow = made.now;
    closers.push(async () => {
      // A receiver that does not answer delays the end of the command by this much at most.
      await made.deliverOwn({within: LONGEST_DELIVERY, signal: host.signal, onRefused: io.note});
      made.close();
    });
    return made;
  });

  const webhooks = once(() => import('./webhooks/index.js'));

  const deliveries = once(async () => {
    const {openDeliveries} = await webhooks();
    const store = openDeliveries(fileNamed('deliveries.db'), {owner: host.identity});
    closers.push(() => store.close());
    return store;
  });

  let opened: Audit | undefined;
  const audit = once(async () => {
    const {Audit} = await import('./audit/audit.js');
    opened = new Audit(fileNamed('history.jsonl'), {now, token});
    return opened;
  });

  const {env, random, readInputBytes, signal, sleep, version} = host;
  return {
    ...accounts,
    ...{env, random, readInputBytes, signal, sleep, version},
    host,
    io,
    flags,
    prompt: createPrompt(io, {
      streams: () => ({input: host.stdin, output: host.stderr}),
      signal,
    }),
    now,
    nowMilliseconds: host.now,
    shownAt: () => (sandboxNow ?? now)(),
    token: (length) => randomToken(host.randomBytes, length),
    readInput: async () => (await readInputBytes()).toString('utf8'),
    readFile: readNamedFile,
    dataDirectory: directory,
    sandbox,
    setSandboxAside: async () => {
      const {setAside} = await import('./storage/sqlite.js');
      return setAside(fileNamed(SANDBOX_FILE));
    },
    billing: () => import('./billing/index.js'),
    imports: () => import('./billing/import/index.js'),
    isAlive: aliveBy(host.kill as (pid: number, signal: 0) => unknown),
    openFile: (path) => createReadStream(path),
    fileToWrite: async (path, asked) => {
      const {judgeFile} = await import('./storage/user-file.js');
      return judgeFile(path, asked, {signal, sleep, tell: io.note, token, history: audit});
    },
    names,
    subjects: new Map(),
    webhooks,
    registrar: async (events) => {
      const {createRegistrar} = await import('./context/registrar.js');
      return createRegistrar({...accounts, io, sandbox, events});
    },
    deliveries,
    audit,
    change: () => opened?.open ?? 'none',
    hasSent: () => changeSent,
    finish: (outcome) => {
      const isDone = opened?.open === 'changing' && outcome.result === 'ok';
      // A job that lost its key would otherwise end like one that billed.
      if (isDone && sandboxNow && isSet(env.CI))
        io.note('Nothing real happened: the change was made in the sandbox.', {warns: true});
      if (opened?.end(outcome) === false) io.note('The result of this change could not be recorded in the history.');
    },
    close: async () => {
      for (const close of closers.splice(0)) await close();
    },
  };
}
