// The composition root: creates the clients, stores and streams that a command needs, most of them on first use.

import {existsSync} from 'node:fs';
import {nextCommand} from '../common/errors.js';
import {join} from 'node:path';
import type {CallOptions} from '../client/call.js';
import type {History, HistoryEntryEnd, HistorySubject} from '../history/history.js';
import type {Repeats} from '../repeats/repeats.js';
import type {Machine} from '../config/data-folder.js';
import type {KeyStoresHost} from '../config/keys/open-stores.js';
import {dataDirectory, homeOf, sandboxFile} from '../config/paths.js';
import {DEFAULT_PROJECT, PROJECT_FLAG} from '../config/profiles.js';
import {resolveProject} from '../config/resolve.js';
import {lazily, openAccounts, type Accounts, type ContextFlags} from './accounts.js';
import type {NodeSettings} from './debug-exposures.js';
import type {Environment} from '../common/environment.js';
import {isJsonObject} from '../common/json.js';
import {DAY} from '../common/manila.js';
import {randomToken} from '../common/random.js';
import {createStreams, type OutputStreams, type StreamsOptions} from '../output/streams.js';
import type {Prompt} from '../output/prompt/prompt.js';
import type {Agent} from '../processes/agents.js';
import {livenessCheck, type ProcessIdentity} from '../processes/process-identity.js';
import type {RequestedFile} from '../storage/user-file.js';

export type {UserFile} from '../storage/user-file.js';

export interface Host extends StreamsOptions, KeyStoresHost, NodeSettings {
  readonly env: Environment;
  readonly version: string;
  readonly readInputBytes: () => Promise<Buffer>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** `now` when the process began, and the milliseconds since then. Setting the clock changes nothing. For waits. */
  readonly steadyNow: () => number;
  readonly random: () => number;
  /** Sleeps this many milliseconds, or rejects when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<unknown>;
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  readonly identity: ProcessIdentity;
  /** Finds the agent program that runs this process, if one shows. */
  readonly findAgent?: () => Promise<Agent | undefined>;
  /** Read from the system if left out. */
  readonly machine?: Machine;
  /** `process.kill`. */
  readonly kill: (pid: number, signal: 0 | 'SIGKILL' | 'SIGTERM') => unknown;
  /** Acts like Ctrl-C, for code that reads the keyboard in raw mode. */
  readonly interrupt: () => void;
  /** Runs `cleanUp` synchronously when the process exits. @returns a function that cancels the call */
  readonly atExit: (cleanUp: () => void) => () => void;
  readonly randomBytes: (size: number) => Uint8Array;
}

export type Context = Readonly<ReturnType<typeof createContext>>;

/** Milliseconds that a command waits at its end for the delivery of its events. */
const DELIVERY_TIMEOUT = 3000;

/** Milliseconds: smaller differences of clocks come from the network. */
const MIN_SKEW = 5000;

const DELIVERIES_FILE = 'deliveries.db';

/** This machine's time in unix seconds, and the seconds by which a service that has answered is ahead of it. */
type Clock = Readonly<{now: () => number; offset: () => number | undefined}>;

/** The files of this machine, each opened when first needed. */
function openFiles(
  host: Host,
  flags: ContextFlags,
  {now, offset}: Clock,
  io: OutputStreams,
  onClose: (close: () => unknown) => void,
) {
  const dataFolder = () => dataDirectory(host.env, host.platform);
  const fileNamed = (name: string) => join(dataFolder(), name);
  const token = () => randomToken(host.randomBytes, 16);
  const isAlive = livenessCheck(host.kill as (pid: number, signal: 0) => unknown);
  const opened: {history?: History; repeats?: Repeats; sandboxNow?: () => number} = {};
  /** The generation of the sandbox that this command may create. */
  let ours: string | undefined;

  const project = () => resolveProject({flags, env: host.env}).value;
  const sandboxPath = () => sandboxFile(dataFolder(), project());
  /** The flag that chooses a project, unless the environment does. */
  const projectArgs = (name: string) =>
    resolveProject({flags: {}, env: host.env}).value === name ? [] : [PROJECT_FLAG, name];
  const resetOf = (name: string) => nextCommand('To replace it with an empty one', 'sandbox reset', projectArgs(name));
  /** The embedded sandbox, even if the command uses another account. */
  const sandbox = lazily(async () => {
    const {createEmbeddedSandbox} = await import('../sandbox/embedded.js');
    if (project() !== DEFAULT_PROJECT && !existsSync(sandboxPath()))
      io.note(`Project ${project()} is new: an empty sandbox.`, {warns: true});
    const made = createEmbeddedSandbox({
      listenerRecord,
      path: sandboxPath(),
      now,
      generation: ours,
      whenDamaged: resetOf(project()),
    });
    opened.sandboxNow = made.now;
    onClose(async () => {
      await made.deliverChanges({totalTimeout: DELIVERY_TIMEOUT, signal: host.signal, onRefused: io.note});
      made.close();
    });
    return made;
  });
  /** The sandbox's generation, or that of a sandbox that this command may create. Creates none. */
  const generation = async () => (existsSync(sandboxPath()) ? (await sandbox()).generation() : (ours ??= token()));
  /** Renames an unreadable sandbox file, so that the next command creates a sandbox. @returns the new path */
  const setSandboxAside = async () => {
    const {moveDamagedDatabase} = await import('../storage/check-folder.js');
    return moveDamagedDatabase(sandboxPath());
  };
  const webhooks = lazily(() => import('../webhooks/index.js'));
  const deliveries = lazily(async () => {
    const {openDeliveries} = await webhooks();
    const store = openDeliveries(fileNamed(DELIVERIES_FILE), {owner: host.identity});
    onClose(() => store.close());
    return store;
  });
  /** The record of this machine's listeners; undefined if none has run. */
  const listenerRecord = async () => {
    if (!existsSync(fileNamed(DELIVERIES_FILE))) return undefined;
    const {listenerRecordOf} = await webhooks();
    return listenerRecordOf(await deliveries(), {isAlive, nowMilliseconds: host.now});
  };
  /** Unix seconds by the account's clock, as far as it is known. Does not open the sandbox. */
  const displayNow = () => now() + (ahead() ?? 0);
  /** Seconds by which the account's clock is ahead of this machine's; undefined until its service has answered. */
  const ahead = () => (opened.sandboxNow ? opened.sandboxNow() - now() : offset());
  const changeLog = lazily(async () => {
    const {History} = await import('../history/history.js');
    const owner = {owner: host.identity, isAlive};
    opened.history = new History(fileNamed('history.db'), {
      now: displayNow,
      offset: ahead,
      // Attempts under one idempotency key have the key of their plan.
      token: () => [keyed()?.current?.plan_key, token()].filter(Boolean).join('-'),
      ...owner,
    });
    onClose(() => opened.history?.close());
    return opened.history;
  });
  /** State of this command's changes that have no recorded end. */
  const change = () => opened.history?.state ?? 'none';
  const finish = (outcome: HistoryEntryEnd): void => {
    opened.repeats?.end(outcome.applied, displayNow());
    if (opened.history?.end(outcome) === false)
      io.note('The result of this change could not be recorded in the history.');
  };
  /** What was made under idempotency keys. */
  const repeats = lazily(async () => {
    const {Repeats} = await import('../repeats/repeats.js');
    opened.repeats = new Repeats(fileNamed('repeats.db'), {owner: host.identity, isAlive, token});
    onClose(() => opened.repeats?.close());
    return opened.repeats;
  });
  /** The idempotency keys if this command holds one, from its first look on, or is handed over: it will hold one. */
  const keyed = () => (opened.repeats?.current || io.settings.handsOver ? opened.repeats : undefined);
  const handOvers = lazily(async () =>
    (await import('../repeats/hand-overs.js')).openHandOvers(fileNamed('repeats.db'), {...host, isAlive}, onClose),
  );
  const files = {
    handOvers,
    dataDirectory: dataFolder,
    project,
    usesSandbox: () => opened.sandboxNow !== undefined,
    projectArgs,
    sandboxPath,
    resetOf,
    sandbox,
    setSandboxAside,
    webhooks,
    deliveries,
    changeLog,
    repeats,
  };
  return {files: {...files, ahead, generation, displayNow, change, finish, keyed, isAlive}, token};
}

export function createContext(host: Host) {
  const flags: ContextFlags = {};
  const io = createStreams(host);
  const closers: (() => unknown)[] = [];
  const onClose = (close: () => unknown) => closers.push(close);
  const now = () => Math.floor(host.now() / 1000);
  const names = new Map<string, string>();
  const numbers = new Map<string, string>();
  let changeSent = false;
  const offset = (): number | undefined => {
    const skew = accounts.clockSkew();
    return skew === undefined ? skew : Math.abs(skew) < MIN_SKEW ? 0 : -Math.round(skew / 1000);
  };
  const {files, token} = openFiles(host, flags, {now, offset}, io, onClose);
  const {sandbox, changeLog, displayNow} = files;
  const accounts: Accounts = openAccounts({
    host,
    io,
    flags,
    token,
    sandbox,
    onClose,
    userAgent: `centavo/${host.version} node/${process.versions.node.split('.')[0]} ${host.platform}`,
    onAnswer: (answer) => noteNumbers(answer, names, numbers),
    onChangeSent: () => (changeSent = true),
  });
  const {env, random, signal, sleep, version} = host;
  const readInputBytes = lazily(host.readInputBytes);
  const accountId = lazily(async () => {
    const {accountIdOf} = await import('./account-id.js');
    return accountIdOf(await accounts.connection(), accounts.configuration.read(), files.generation);
  });
  const accountNow = async () => {
    if ((await accounts.connection()).mode === 'sandbox') await sandbox();
    return displayNow();
  };
  const reader = lazily(async () => (await import('./read-input.js')).createFileReader(signal));
  const context = {
    ...accounts,
    ...files,
    /**
     * Identifies the account in everything that centavo remembers: address, mode and a name that outlives a rolled key;
     * for the sandbox, its project and generation. Stays the same during a command.
     */
    accountId,
    /** The history, for questions about this account. */
    history: async () => Object.assign(await changeLog(), {account: await accountId()}),
    env,
    random,
    readInputBytes,
    signal,
    sleep,
    version,
    node: process.versions.node,
    host,
    io,
    flags,
    /** The agent program that runs this command, if one shows. */
    agent: (): Agent | undefined => io.settings.agent,
    /**
     * Values that the command looked up or asked for: an id by the kind and text of its reference, a flag's value by its
     * name, and a missing argument by the empty name. A hand-over stores them.
     */
    resolved: new Map<string, string>(),
    /** Returns the Context of another command line of this process. */
    fresh: (own: Partial<Host>): unknown => createContext({...host, ...own}),
    /** Names of objects by id: the number of a statement, the user's text for a customer. */
    names,
    numbers,
    /** Statements that this command read, by id, for the history. */
    subjects: new Map<string, HistorySubject>(),
    prompt: onDemand(async () =>
      (await import('../output/prompt/prompt.js')).createPrompt(io, {
        streams: () => ({input: host.stdin, output: host.stderr}),
        signal,
        host,
      }),
    ),
    homeDirectory: () => homeOf(env, host.platform),
    /** Unix seconds. */
    now,
    /** Milliseconds since the epoch. */
    nowMilliseconds: host.now,
    /** Milliseconds since the epoch for waits, which must not follow a clock that is set. */
    steadyNow: host.steadyNow,
    /** Unix seconds by the account's clock, as far as it is known. The sandbox clock can be advanced. */
    accountNow,
    /** Like `accountNow`, but as when a change began that goes on under its key: `+7d` stays the same day. */
    plannedAt: async (): Promise<number> => flags.plannedAt ?? files.keyed()?.current?.begun_at ?? accountNow(),
    /** Like `accountNow`, to compare with recorded times: reads from a service that has not answered yet. */
    serviceNow: async (options: CallOptions = {}) => {
      const known = await accountNow();
      if (files.ahead() !== undefined) return known;
      await (await accounts.client()).customers.list({limit: 1}, {signal, ...options});
      return displayNow();
    },
    /** True if old records may be deleted: the account's clock is known, and agrees with this machine's. */
    allowsPruning: () => Math.abs(files.ahead() ?? Infinity) <= DAY,
    /** Random letters and digits. */
    token: (length: number) => randomToken(host.randomBytes, length),
    readInput: async () => (await readInputBytes()).toString('utf8'),
    /** @param name the flag with the path, for errors */
    readFile: async (path: string, name: string) => (await reader()).readFile(path, name),
    openFile: async function* (path: string) {
      yield* (await reader()).openFile(path);
    },
    isReadOnce: async (path: string) => (await reader()).isReadOnce(path),
    billing: () => import('../billing/index.js'),
    lookupCache: () => import('../billing/account/lookup-cache.js'),
    imports: () => import('../billing/import/index.js'),
    columnMemory: async () => {
      const {openColumnMemory} = await import('../config/column-memory.js');
      return openColumnMemory({directory: files.dataDirectory, user: host.user, token, now});
    },
    projects: () => import('../sandbox/projects.js'),
    health: async () => (await import('./health.js')).openHealth(files.resetOf),
    /** Last address and key of the served sandbox, if any. Does not open the sandbox. */
    servedAt: async () => (await import('../sandbox/store.js')).servedAt(files.sandboxPath()),
    /** Killed listeners whose webhook is still in this account. Only reads the file of deliveries. */
    deadLeases: async (account: string) =>
      (await files.webhooks()).deadLeasesIn(join(files.dataDirectory(), DELIVERIES_FILE), account, files.isAlive),
    /** Checks a file to write, before anything is sent. */
    fileToWrite: async (path: string, asked: RequestedFile) => {
      const {checkUserFile} = await import('../storage/user-file.js');
      return checkUserFile(path, asked, {signal, sleep, notify: io.note, token, history: changeLog});
    },
    registrar: async (events: readonly string[]) => {
      const {createRegistrar} = await import('./registrar.js');
      return createRegistrar({...accounts, io, sandbox, events});
    },
    /** True if this command may have sent a change. */
    hasSent: () => changeSent,
    close: async () => {
      for (const close of closers.splice(0)) await close();
    },
  };
  /** The billing engine, with the dependencies of this context. */
  const runs = async (): Promise<ReturnType<typeof import('./statement-runs.js').statementRunsOf>> =>
    (await import('./statement-runs.js')).statementRunsOf(context);
  return {...context, runs};
}

/** Loads the questions when the first one is asked: most commands ask none. */
function onDemand(open: () => Promise<Prompt>): Prompt {
  const prompt = lazily(open);
  const kinds = ['confirm', 'password', 'search', 'select', 'text'] as const;
  const ask = async (kind: (typeof kinds)[number], args: readonly unknown[]): Promise<unknown> =>
    ((await prompt())[kind] as (...args: readonly unknown[]) => Promise<unknown>)(...args);
  return Object.fromEntries(kinds.map((kind) => [kind, (...args: unknown[]) => ask(kind, args)])) as never;
}

/** Maximum statement numbers that a command remembers. */
const MAX_KNOWN_NUMBERS = 1000;

/** Remembers statement numbers, which users know better than ids. @param answer any result; pages add no `names` */
function noteNumbers(answer: unknown, names: Map<string, string>, numbers: Map<string, string>): void {
  const page = isJsonObject(answer) && Array.isArray(answer.data) ? (answer.data as unknown[]) : undefined;
  for (const each of page ?? [answer]) {
    if (!isJsonObject(each)) continue;
    const {id, billing_statement_number: number} = each;
    if (typeof id !== 'string' || typeof number !== 'string' || number === '') continue;
    if (numbers.size < MAX_KNOWN_NUMBERS) numbers.set(number, id);
    if (!page && names.size < MAX_KNOWN_NUMBERS) names.set(id, number);
  }
}
