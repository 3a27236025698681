// What `centavo doctor` looks at, one function for each part. Each finds its own faults, so that one hides no other.

import {basename, dirname} from 'node:path';
import {sameAccount} from '../../cli/next-command.js';
import {boolean, choice, nullable, record, text, type ValueOf} from '../../cli/schema.js';
import {SANDBOX_PROFILE} from '../../config/profiles.js';
import {resolveEndpoint, resolveProfile} from '../../config/resolve.js';
import {shownAddress} from '../../config/settings.js';
import type {Context} from '../../context.js';
import {counted} from '../../ground/counts.js';
import {capitalized, type CentavoError, whatAndWhy} from '../../ground/errors.js';
import {toCentavoError} from '../../ground/system-errors.js';
import {valid} from '../../input/fault.js';
import {ALL_SETTINGS, PROFILE_SETTING, settingRow, shownValue} from '../config/shared/setting-rows.js';

export const CHECK = record({
  group: choice('machine', 'configuration', 'account', 'files', 'webhooks'),
  name: text,
  status: choice('ok', 'fixed', 'note', 'problem', 'unchecked'),
  message: text,
  source: nullable(text),
  cure: nullable(text),
  /** By --fix. */
  fixable: boolean,
});
export type Check = ValueOf<typeof CHECK>;
type Found = Omit<Check, 'group'>;

const row = (name: string, message: string, more: Partial<Found> = {}): Found => ({
  ...{name, status: 'ok', message, source: null, cure: null, fixable: false},
  ...more,
});
const note = (name: string, message: string, cure: string | null): Found => row(name, message, {status: 'note', cure});
const unchecked = (name: string, why: string): Found => row(name, why, {status: 'unchecked'});
const problem = (name: string, message: string, cure: string): Found => row(name, message, {status: 'problem', cure});
const failure = (name: string, error: CentavoError, cure = 'For details: centavo doctor --verbose'): Found =>
  problem(name, capitalized(whatAndWhy(error)), error.details.hint ?? cure);

const elsewhere = (variable: string): string => `To use another folder: export ${variable}="$HOME/centavo"`;

/** What came of it. Only an interruption ends the examination. */
async function tried<T>(work: () => Promise<T> | T): Promise<{value?: T; error?: CentavoError}> {
  try {
    return {value: await work()};
  } catch (thrown) {
    const error = toCentavoError(thrown);
    if (error.kind === 'interrupted') throw error;
    return {error};
  }
}

/** A problem that can be mended here, which is done with `fix`. */
async function mending(fix: boolean, found: Found, mend: () => Promise<void> | void): Promise<Found> {
  if (!fix) return {...found, fixable: true};
  const {error} = await tried(mend);
  if (!error) return row(found.name, `Mended. Before: ${found.message}`, {status: 'fixed'});
  return {...found, message: `${found.message} It could not be mended: ${error.details.why ?? error.message}`};
}

/** Milliseconds for the service to answer. */
const LONGEST_ANSWER = 10_000;
/** Seconds that two clocks may differ. Signatures are good for five minutes. */
const LARGEST_SKEW = 60;
/** The last Node without security fixes. */
const OLD_NODE = 20;

/** Everything, in the order in which it is shown. */
export async function examine(context: Context, fix: boolean): Promise<Check[]> {
  // What is mended is needed for the rest.
  const {rows: files, faulty} = await filesOf(context, fix);
  const {rows: configuration, isReadable} = await configurationOf(context);
  const {rows: account, owner} = isReadable
    ? await accountOf(context)
    : {rows: [unchecked('key', 'The configuration cannot be read.')]};
  const webhooks = [await servedOf(context), await leasesOf(context, owner, fix), await tunnelsOf(context)];
  const groups = {machine: await machineOf(context), configuration, account, files, webhooks};
  const told = new Set<string>();
  return Object.entries(groups).flatMap(([group, rows]) =>
    rows.map((found): Check => {
      // One problem may be the reason of several, and what is wrong with a file is told with the files.
      const isOfFile = faulty.some((path) => found.message.includes(path));
      const isTold = found.status === 'problem' && group !== 'files' && (isOfFile || told.has(found.message));
      told.add(found.message);
      return {group: group as Check['group'], ...found, ...(isTold && {status: 'unchecked', cure: null})};
    }),
  );
}

async function machineOf({health, host, node, version}: Context): Promise<Found[]> {
  // A Node without a database of its own needs a package for it.
  const fault = (await health()).faultOfDatabase(':memory:');
  const isOld = Number.parseInt(node, 10) <= OLD_NODE;
  const old = `${node} gets no security fixes any more.`;
  return [
    row('centavo', version),
    fault
      ? failure('Node', fault)
      : isOld
        ? note('Node', old, 'Install Node 22 or later: https://nodejs.org/en/download')
        : row('Node', `${node}, ${host.platform}`),
  ];
}

async function configurationOf(context: Context): Promise<{rows: Found[]; isReadable: boolean}> {
  const {value: path, error} = await tried(() => (context.configuration.read(), context.configuration.path));
  if (path === undefined) return {rows: [failure('file', error!, elsewhere('CENTAVO_CONFIG_DIR'))], isReadable: false};
  const rows: Found[] = [row('file', path)];
  for (const name of ALL_SETTINGS) {
    const {value: setting, error: fault} = await tried(() => settingRow(context, name));
    if (fault) rows.push(failure(name, fault));
    else if (setting!.value !== null && (name === PROFILE_SETTING || setting!.source !== 'default'))
      rows.push(row(name, shownValue(setting!), {source: setting!.source}));
    // The others are those of a profile.
    if (fault && name === PROFILE_SETTING) break;
  }
  return {rows, isReadable: true};
}

/** @returns also whose leases are looked at; those of an account need its key */
async function accountOf(context: Context): Promise<{rows: Found[]; owner?: string}> {
  const {value: profile} = await tried(async () => resolveProfile(await context.settingsInput()).value);
  const {value: connection, error: unresolved} = await tried(() => context.connection());
  const isKept = connection?.key?.stored?.store === 'keychain';
  const {error: silent} = await tried(
    async () => isKept || (await context.keyStores.open('keychain')).read('probe/trial'),
  );
  // It is no problem to those who keep no key there.
  const kept = silent ? [note('keychain', capitalized(silent.message), silent.details.hint!)] : [];
  if (profile === SANDBOX_PROFILE)
    return {
      rows: [unresolved ? failure('API', unresolved) : row('API', 'the embedded sandbox'), ...kept],
      owner: profile,
    };
  const {value: key, error = unresolved} = await tried(() => connection && context.key());
  const {masked = '', source = ''} = connection?.key ?? {};
  const usesKey = key !== undefined && !connection!.isPublic;
  const {value: service, error: unsafe} = await tried(() => serviceOf(context, usesKey));
  const isAccepted = usesKey && service?.[0]?.status === 'ok';
  const {value: registrar} = await tried(async () => (isAccepted ? context.registrar([]) : undefined));
  return {
    rows: [
      error ? failure('key', error) : row('key', masked, {source}),
      ...kept,
      ...(service ?? [failure('API', unsafe!)]),
    ],
    owner: registrar?.account,
  };
}

/** Whether it answers, accepts the key, and has the same time. */
async function serviceOf(context: Context, usesKey: boolean): Promise<Found[]> {
  const {env} = context;
  const input = await context.settingsInput();
  const {value: url, source} = resolveEndpoint(resolveProfile(input), input).baseUrl;
  const {hostname, protocol} = new URL(url);
  const isNear = (await context.webhooks()).isLoopbackHost(hostname);
  const variable = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name] && !isNear);
  const error = await reach(context, usesKey ? undefined : url);
  const again = `centavo doctor${sameAccount(context)}`;
  const cure = variable
    ? `To try it without the proxy: env -u ${variable} ${again}`
    : isNear && protocol === 'http:'
      ? `To start a sandbox there: ${serving(url)}`
      : `Check your connection, and the address (${source}), then: ${again}`;
  const isReached = error === undefined || (!usesKey && error.kind === 'auth');
  return [
    isReached ? row('API', `${url} ${usesKey ? 'accepts the key' : 'answers'}`) : failure('API', error, cure),
    clockOf(context),
    ...(variable ? [row('proxy', shownAddress(env[variable]!), {source: variable})] : []),
  ];
}

const serving = (url: string): string => `centavo sandbox serve --port ${new URL(url).port || 80}`;

/** @param url to reach without a key; otherwise that of the account with its key */
async function reach(context: Context, url?: string): Promise<CentavoError | undefined> {
  const {error} = await tried(async () => {
    const client = await (url === undefined
      ? context.client()
      : context.clientOf({key: '', baseUrl: url, encoding: 'json'}));
    const timeout = Math.min(LONGEST_ANSWER, (context.flags.timeout ?? Infinity) * 1000);
    await client.customers.list(
      {limit: 1},
      {signal: context.signal, timeout, ...(url !== undefined && {once: () => {}})},
    );
  });
  return error;
}

const SET_CLOCK: Readonly<Record<string, string>> = {darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync'};

function clockOf({clockSkew, host}: Context): Found {
  const skew = clockSkew();
  if (skew === undefined) return unchecked('clock', 'The service did not tell its time.');
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (seconds <= LARGEST_SKEW) return row('clock', `within ${counted(seconds + 1, 'second')} of the service’s`);
  const amount = `${counted(Math.round(seconds / 60), 'minute')} ${skew > 0 ? 'ahead of' : 'behind'}`;
  return problem(
    'clock',
    `This machine’s clock is ${amount} the service’s. From 5 minutes on, events do not count as genuine.`,
    `Set it by the network: ${SET_CLOCK[host.platform] ?? 'sudo timedatectl set-ntp true'}`,
  );
}

async function filesOf(context: Context, fix: boolean): Promise<{rows: Found[]; faulty: string[]}> {
  const {configuration, health, host, nowMilliseconds} = context;
  const {examineFolder} = await health();
  const rows: Found[] = [];
  const faulty: string[] = [];
  for (const [name, variable, folderOf] of [
    ['settings', 'CENTAVO_CONFIG_DIR', () => dirname(configuration.path)],
    ['data', 'CENTAVO_DATA_DIR', () => context.dataDirectory()],
  ] as const) {
    const {value: folder, error} = await tried(folderOf);
    if (folder === undefined) {
      // The other is told with the configuration.
      rows.push(name === 'data' ? failure(name, error!, elsewhere(variable)) : unchecked(name, error!.message));
      continue;
    }
    const {faults, files} = examineFolder(folder, host.user, nowMilliseconds());
    if (faults.length === 0) rows.push(row(name, `${folder}, ${files === 0 ? 'nothing yet' : counted(files, 'file')}`));
    for (const {path, message, cure = elsewhere(variable), isDamaged, mend} of faults) {
      const shown = path === folder ? name : path.slice(folder.length + 1);
      const found = problem(shown, message, (isDamaged && cureOfDamage(path)) || cure);
      rows.push(mend ? await mending(fix, found, mend) : found);
      if (rows.at(-1)!.status === 'problem') faulty.push(path);
    }
  }
  return {rows, faulty};
}

/** Our own command for a damaged file, where there is one. */
function cureOfDamage(path: string): string | undefined {
  const name = basename(path, '.db');
  if (name === 'sandbox') return 'To replace it with an empty one: centavo sandbox reset';
  return basename(dirname(path)) === 'jobs'
    ? `Import its spreadsheet again, then: centavo jobs purge ${name} --yes`
    : undefined;
}

/** The sandbox at a port, to which its payment links lead. */
async function servedOf(context: Context): Promise<Found> {
  const name = 'served sandbox';
  const {value: url, error: unread} = await tried(() => context.servedAt());
  if (unread) return unchecked(name, whatAndWhy(unread));
  if (url === undefined) return row(name, 'never started');
  const error = await reach(context, url);
  if (error?.kind === 'auth') return row(name, `runs at ${url}`);
  if (error?.kind === 'refused') return unchecked(name, whatAndWhy(error));
  return note(name, `No sandbox answers at ${url}, so its payment links do not open.`, `To start it: ${serving(url)}`);
}

/** Webhooks of listeners that were killed, which no listener uses again. */
async function leasesOf(context: Context, owner: string | undefined, fix: boolean): Promise<Found> {
  const name = 'listeners';
  if (owner === undefined) return unchecked(name, 'This needs an account that answers.');
  const {value: dead, error} = await tried(() => context.deadLeases(owner));
  if (!dead) return unchecked(name, whatAndWhy(error!));
  const isSandbox = owner === SANDBOX_PROFILE;
  const {look} = isSandbox || dead.length === 0 ? {look: () => 'enabled'} : await context.registrar([]);
  const left = dead.map(async ({webhookId: id}) => ((await tried(() => look(id))).value === 'gone' ? [] : [id]));
  const ids = (await Promise.all(left)).flat();
  if (ids.length === 0) return row(name, 'left nothing to delete');
  const message = `A listener was killed, and left a webhook: ${ids.join(', ')}.`;
  const account = sameAccount(context);
  if (!isSandbox) return problem(name, message, `Delete it: centavo webhooks delete ${ids.join(' ')}${account}`);
  const found = problem(name, message, `To delete it: centavo doctor --fix${account}`);
  return mending(fix, found, async () => {
    const [{endpoints}, {remove}] = await Promise.all([context.deliveries(), context.registrar([])]);
    for (const {id, webhookId} of dead) {
      await remove(webhookId);
      endpoints.removeLease(id);
    }
  });
}

/** A real account needs one to send events to this machine. */
async function tunnelsOf(context: Context): Promise<Found> {
  const {readTunnel} = await context.webhooks();
  const providers = ['cloudflared', 'ngrok', 'ssh:user@host'].map((text) =>
    valid(readTunnel(text, context), '--tunnel'),
  );
  const missing = await Promise.all(providers.map((provider) => provider.missing()));
  const there = providers.filter((_, index) => missing[index] === undefined).map(({name}) => name);
  if (there.length > 0) return row('tunnels', there.join(', '));
  const [cloudflared = ''] = missing;
  return note('tunnels', 'No program for a tunnel is installed.', cloudflared.slice(cloudflared.indexOf('. ') + 2));
}
