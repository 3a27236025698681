// The composition root: everything impure that a command needs, made on first use.

import {createReadStream} from 'node:fs';
import {join} from 'node:path';
import type {Audit, AuditedEnd, Subject} from './audit/audit.js';
import {dataDirectory} from './config/paths.js';
import {once, openAccounts, type Accounts, type ContextFlags} from './context/accounts.js';
import {readNamedFile} from './context/whole-input.js';
import {isSet, type Environment} from './ground/environment.js';
import {isHash} from './ground/json.js';
import {randomToken} from './ground/random.js';
import {createIo, type Io, type IoOptions} from './output/io.js';
import {createPrompt, type Prompt} from './output/prompt/prompt.js';
import {aliveBy, type IsAlive, type ProcessIdentity} from './programs/identity.js';
import type {EmbeddedSandbox} from './sandbox/embedded.js';
import type {Asked, UserFile} from './storage/user-file.js';
import type {Registrar} from './webhooks/listen/registration.js';
import type {DeliveryStore} from './webhooks/store/deliveries.js';

export type {UserFile} from './storage/user-file.js';

/** What the process passes in. */
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
  /** Does what Ctrl-Z does, for such code. @param resumed is called when it is in the foreground again */
  readonly suspend: (resumed: () => void) => void;
  /** Options of Node itself, which precede the entry. */
  readonly execArgv: readonly string[];
  /** Milliseconds that a keychain may take; three seconds when not given. */
  readonly keychainTimeout?: number;
  /** Node and the entry of this program. */
  readonly self: readonly string[];
  /** Does this, synchronously, if the process ends first. @returns takes that back */
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
  /** Unix seconds at the account: the sandbox has its own clock, which can be advanced. */
  readonly accountNow: () => Promise<number>;
  /** The same as far as known without opening the sandbox: for showing what was read. */
  readonly shownAt: () => number;
  /** Letters and digits that cannot be guessed. */
  readonly token: (length: number) => string;
  readonly readInput: () => Promise<string>;
  readonly readFile: typeof readNamedFile;
  readonly dataDirectory: () => string;
  /** The embedded sandbox, also when the account is another. */
  readonly sandbox: () => Promise<EmbeddedSandbox>;
  /** Moves an unreadable sandbox away, so that the next command makes a new one. @returns its new path */
  readonly setSandboxAside: () => Promise<string>;
  readonly billing: () => Promise<typeof import('./billing/index.js')>;
  readonly imports: () => Promise<typeof import('./billing/import/index.js')>;
  /** The engine of billing, with what it needs of this machine. */
  readonly runs: () => Promise<ReturnType<typeof import('./context/runs.js').runsOf>>;
  readonly isAlive: IsAlive;
  /** A file that a user names to be written, checked before anything is sent. */
  readonly fileToWrite: (path: string, asked: Asked) => Promise<UserFile>;
  readonly openFile: (path: string) => AsyncIterable<Uint8Array>;
  /** What people call an object, by its id: the number of a statement, what was typed for a customer. */
  readonly names: Map<string, string>;
  /** What was seen of the statements that this command looked up, by id: for the history. */
  readonly subjects: Map<string, Subject>;
  readonly webhooks: () => Promise<typeof import('./webhooks/index.js')>;
  /** Registers webhooks for these types of event with the account of this command. */
  readonly registrar: (events: readonly string[]) => Promise<Registrar>;
  readonly deliveries: () => Promise<DeliveryStore>;
  readonly audit: () => Promise<Audit>;
  /** Whether this command has begun a change whose end has not been recorded yet. */
  readonly change: () => Audit['open'];
  /** Whether this command has sent a change, as far as this machine can tell. */
  readonly hasSent: () => boolean;
  /** Records how the command ended, if it changed anything. */
  readonly finish: (outcome: AuditedEnd) => void;
  readonly close: () => Promise<void>;
}

/** Milliseconds that a command waits, at its end, for the delivery of the events that it caused. */
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
  const context: Context = {
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
    accountNow: async () => ((await accounts.connection()).mode === 'sandbox' ? (await sandbox()).now() : now()),
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
    runs: async () => (await import('./context/runs.js')).runsOf(context),
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
  return context;
}

/** A command about more statements than these names none of them in an error. */
const MOST_NAMES = 1000;

/** People know a billing statement by its number. @param answer whatever an operation returned */
function noteNumber(names: Map<string, string>, answer: unknown): void {
  if (!isHash(answer) || names.size >= MOST_NAMES) return;
  const {id, billing_statement_number: number} = answer;
  if (typeof id === 'string' && typeof number === 'string' && number !== '') names.set(id, number);
}
