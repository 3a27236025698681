// Resolves the account of a command, and creates its key stores and clients, for context.ts.

import type {PlannedChange, PlannedChangeDetails} from '../guard/change.js';
import type {AttemptReport} from '../client/call.js';
import type {Client, ClientOptions} from '../client/client.js';
import {configurationFile} from '../config/configuration-file.js';
import {readKey, type AccountFlags, type KeyNeed} from '../config/keys/chosen-key.js';
import {kindOfKey} from '../config/keys/keys.js';
import {openKeyStores, type KeyStoresHost} from '../config/keys/open-stores.js';
import {configDirectory} from '../config/paths.js';
import {resolve, resolveEndpoint, resolveProfile, type Connection, type ResolveInput} from '../config/resolve.js';
import {LIMITS} from '../config/settings.js';
import {isSet} from '../common/environment.js';
import {CentavoError} from '../common/errors.js';
import type {OutputStreams} from '../output/streams.js';
import type {EmbeddedSandbox} from '../sandbox/embedded.js';
import type {NodeSettings} from './debug-exposures.js';

/** The global flags that the context needs, set once the command line has been parsed. */
export interface ContextFlags extends AccountFlags {
  verbose?: boolean;
  /** Set while an agent's change runs up to its guard, which then hands it over. */
  handOver?: (details: PlannedChangeDetails, change: PlannedChange) => Promise<never>;
  /** Unix seconds when an approved change was asked for: its dates count from then, and its references are stored. */
  plannedAt?: number;
}

/** A job that lost its key would otherwise look like a real success. */
const SANDBOX_BY_DEFAULT = 'The sandbox, by default: nothing here is real. To choose it: centavo profiles use sandbox';

export interface Account {
  readonly key: string;
  readonly baseUrl: string;
  readonly encoding: 'form' | 'json';
  /** Time limit of a call in seconds. Default: --timeout. */
  readonly timeout?: number;
}

export type Accounts = Readonly<ReturnType<typeof openAccounts>>;

export interface AccountsOptions {
  readonly host: KeyStoresHost & NodeSettings & Record<'now' | 'random' | 'steadyNow', () => number>;
  readonly io: OutputStreams;
  readonly flags: ContextFlags;
  readonly userAgent: string;
  readonly token: () => string;
  readonly sandbox: () => Promise<EmbeddedSandbox>;
  readonly onAnswer: (answer: unknown) => void;
  /** Called when a change may have left this machine. */
  readonly onChangeSent: () => void;
  readonly onClose: (close: () => unknown) => void;
}

/** Calls `make` when the value is first needed, and keeps the value. */
export const lazily = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** Throws for an address to which no key may be sent. */
async function checkAddress(given: ResolveInput): Promise<void> {
  const {checkedBaseUrl} = await import('../client/endpoints.js');
  checkedBaseUrl(resolveEndpoint(resolveProfile(given), given).baseUrl.value);
}

export function openAccounts(options: AccountsOptions) {
  const {host, io, flags, sandbox, onAnswer} = options;
  const account = openAccount(options);
  const {connection, key} = account;
  let consistent = false;
  let serviceAhead: number | undefined;
  const common = async () => {
    const noteAttempt = flags.verbose ? (await import('./verbose.js')).noteAttempt : undefined;
    return {
      userAgent: options.userAgent,
      now: host.steadyNow,
      random: host.random,
      onChangeSent: options.onChangeSent,
      onAttempt: (report: AttemptReport) => {
        const date = Date.parse(report.response?.headers.date ?? '');
        if (date) serviceAhead = date - host.steadyNow();
        noteAttempt?.(io, report);
      },
    };
  };
  const checkExposures = async (mode: 'live' | 'test') =>
    (await import('./debug-exposures.js')).checkDebugExposures(host, io, mode);
  /** @param overrides for the command's own account */
  const clientOf = async ({timeout = flags.timeout, ...target}: Account, overrides?: Partial<ClientOptions>) => {
    const {createClient} = await import('../client/client.js');
    if (target.key !== '') await checkExposures(kindOfKey(target.key).mode);
    const {env} = host;
    const made = createClient({
      ...(await common()),
      onConsistent: (is) => (consistent = is),
      ...target,
      timeout: timeout === undefined ? undefined : timeout * 1000,
      proxy: {https: env.https_proxy ?? env.HTTPS_PROXY, none: env.no_proxy ?? env.NO_PROXY},
      ...overrides,
    });
    options.onClose(made.close);
    return made;
  };
  const clientOfSandbox = async (timeout: number): Promise<Client> => {
    const [{createClient, transportOver}, {keys, answering}] = await Promise.all([
      import('../client/client.js'),
      sandbox(),
    ]);
    const transport = transportOver(answering(host.signal));
    return createClient({...(await common()), timeout: timeout * 1000, key: keys.secret, transport, onAnswer});
  };
  const client = lazily(async () => {
    const target = await connection();
    const timeout = target.timeout.value;
    if (target.mode === 'sandbox') return clientOfSandbox(timeout);
    const usedKey = (await key())!;
    const {baseUrl, encoding} = target;
    const {explainRefusedKey} = await import('./refused-key.js');
    const overrides = {onAnswer, refusedKey: explainRefusedKey(target, usedKey)};
    return clientOf({key: usedKey, baseUrl: baseUrl!.value, encoding: encoding!.value, timeout}, overrides);
  });
  const requestBuilder = lazily(async () => {
    const {mode, baseUrl, encoding} = await connection();
    if (mode === 'sandbox') return client();
    return clientOf({key: '', baseUrl: baseUrl!.value, encoding: encoding!.value});
  });
  return {
    ...account,
    client,
    requestBuilder,
    /** True if the service said that its reads are never stale. Only a service on this machine is trusted. */
    isConsistent: () => consistent,
    /** Milliseconds by which the service's clock is ahead of `steadyNow`, once it has answered. */
    serviceAhead: () => serviceAhead,
    /** Milliseconds by which this machine's clock is ahead of the service's, once it has answered. */
    clockSkew: () => (serviceAhead === undefined ? serviceAhead : host.now() - host.steadyNow() - serviceAhead),
    /** A client of another account, such as the account that a login checks. */
    clientOf: (target: Account) => clientOf(target),
  };
}

function openAccount({host, io, flags, token}: AccountsOptions) {
  const {env, platform, user} = host;
  const configuration = configurationFile({directory: () => configDirectory(env, platform), user, token});
  const settingsInput = lazily(async (): Promise<ResolveInput> => {
    const {ENDPOINTS} = await import('../client/endpoints.js');
    return {flags, env, configuration: configuration.read(), endpoints: ENDPOINTS};
  });
  const stores = openKeyStores(host, () => ({canAsk: io.canAsk, onStderr: io.note}), token);
  let mode: Connection['mode'] | undefined;
  let read: Promise<string> | undefined;
  const readOnce = ({key: reference, profile}: Connection): Promise<string> | undefined =>
    reference &&
    (read ??= readKey(reference, profile.value, stores).then((found) => {
      io.addSecret(found);
      return found;
    }));
  /** Refuses an account without the required key. Tells programs that the sandbox is only the default. */
  const checkMeant = async (found: Connection, {isSandboxCommand}: KeyNeed): Promise<void> => {
    // The default profile is always the sandbox.
    const isDefault = found.profile.source === 'default';
    ({mode} = found);
    if (mode !== 'sandbox' && env.CENTAVO_PROJECT)
      io.note(`CENTAVO_PROJECT is ignored: profile ${found.profile.value} is a real account.`, {warns: true});
    if (isSandboxCommand) return;
    if ((flags.live && mode !== 'live') || (isDefault && isSet(env.CENTAVO_REQUIRE_KEY)))
      throw (await import('./missing-key.js')).missingKey(found, flags, configuration);
    if (isDefault && !io.canConfirm) io.note(SANDBOX_BY_DEFAULT, {warns: true});
  };
  const connect = async (need: KeyNeed): Promise<Connection> => {
    const {flags: typed, ...rest} = await settingsInput();
    const given = {...rest, flags: {...typed, ...need}};
    try {
      const found = resolve(given);
      const all = Object.values(given.configuration.profiles);
      const limited = all.some(({settings}) => LIMITS.some((name) => name in settings));
      await checkMeant(found, need);
      if (found.key?.stored?.store !== 'command' || !limited) return found;
      // Another profile may limit the printed key. Without a printed key, the command fails once it needs the key.
      const printed = await readOnce(found)?.catch(() => undefined);
      return resolve({...given, printed});
    } catch (error) {
      // Report an unsafe address before a missing key: a key would not help.
      if (error instanceof CentavoError && error.code === 'no_key') await checkAddress(given);
      throw error;
    }
  };
  let connected: Promise<Connection> | undefined;
  const connection = (need: KeyNeed = {}): Promise<Connection> => (connected ??= connect(need));
  return {
    configuration,
    keyStores: stores,
    settingsInput,
    /** The account from flags, environment and configuration. Does not read the key. */
    account: async () => resolve(await settingsInput()),
    /** The account of this command, resolved once, by the first call. */
    connection,
    /** Mode of the account of this command, once the command has used it. */
    usedMode: () => mode,
    /** Undefined in the sandbox. */
    key: async () => readOnce(await connection()),
    profileKeys: async () => {
      const {ProfileKeys} = await import('../config/keys/profile-keys.js');
      return new ProfileKeys(configuration, stores);
    },
  };
}
