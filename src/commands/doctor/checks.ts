// The checks of `centavo doctor`. An error thrown by a check is a problem, and its hint is the cure.

import {nextText, shellQuote} from '../../common/next-text.js';
import {dirname} from 'node:path';
import {accountFlagsOf} from '../../cli/next-steps.js';
import * as schema from '../../cli/schema.js';
import {SANDBOX_PROFILE} from '../../config/profiles.js';
import {resolveEndpoint, resolveProfile} from '../../config/resolve.js';
import {shownAddress} from '../../config/settings.js';
import type {Context} from '../../context/context.js';
import {formatCount} from '../../common/counts.js';
import {capitalized, CentavoError, messageAndReason} from '../../common/errors.js';
import {toCentavoError} from '../../common/system-errors.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {ALL_SETTINGS, type AnySetting, PROFILE_SETTING, settingRow, shownValue} from '../config/shared/setting-rows.js';

export const CHECK = schema.record({
  group: schema.choice('machine', 'files', 'configuration', 'account', 'webhooks'),
  name: schema.text,
  status: schema.choice('ok', 'fixed', 'note', 'problem', 'unchecked'),
  message: schema.text,
  source: schema.nullable(schema.text),
  cure: schema.nullable(schema.text),
  fixable: schema.boolean,
});
export type Check = schema.SchemaValue<typeof CHECK>;
type CheckFinding = Partial<Check> & Pick<Check, 'message'>;
type CheckResult = CheckFinding | readonly CheckFinding[] | string;

interface CheckContext {
  readonly context: Context;
  readonly fix: boolean;
  readonly checks: Check[];
  /** Messages of problems and paths of faulty files, to recognize errors that they cause. */
  readonly reported: string[];
}

/** `failure` is the status after an error. Defaults to `problem`. */
type CheckRow = readonly [
  Check['group'],
  string,
  (run: CheckContext) => Promise<CheckResult> | CheckResult,
  failure?: Check['status'],
];

/** In display order. Each fix is needed by the later checks. */
const CHECKS: readonly CheckRow[] = [
  ['machine', 'centavo', ({context}) => context.version],
  ['machine', 'Node', checkNode],
  ['machine', 'agent', async ({context}) => agentText(await context.host.findAgent?.())],
  ['files', 'settings', (run) => checkFiles(run, 'settings', 'CONFIG', () => dirname(run.context.configuration.path))],
  ['files', 'data', (run) => checkFiles(run, 'data', 'DATA', run.context.dataDirectory)],
  ['files', 'sends', checkSends],
  ['configuration', 'file', checkConfiguration],
  ...ALL_SETTINGS.map((name): CheckRow => ['configuration', name, ({context}) => checkSetting(context, name)]),
  ['account', 'key', checkKey],
  ['account', 'keychain', checkKeychain, 'note'],
  ['account', 'proxy', checkProxy],
  ['account', 'API', checkApi],
  ['account', 'clock', checkClock],
  ['webhooks', 'served sandbox', checkServedSandbox, 'unchecked'],
  ['webhooks', 'listeners', checkLeases, 'unchecked'],
  ['webhooks', 'tunnels', checkTunnels],
];

export async function runChecks(context: Context, fix: boolean): Promise<readonly Check[]> {
  const run: CheckContext = {context, fix, checks: [], reported: []};
  for (const [group, name, find, failure = 'problem'] of CHECKS) {
    let found: CheckResult;
    try {
      found = await find(run);
    } catch (thrown) {
      const error = toCentavoError(thrown);
      if (error.kind === 'interrupted') throw error;
      const message = capitalized(messageAndReason(error));
      const isReported = run.reported.some((each) => message.includes(each));
      if (isReported && ALL_SETTINGS.some((each) => each === name)) continue;
      const status = isReported ? 'unchecked' : failure;
      if (status === 'problem') run.reported.push(message);
      const cure = nextText(error.details) ?? 'For details: centavo doctor --verbose';
      found = {status, message, cure: status === 'unchecked' ? null : cure};
    }
    for (const each of [typeof found === 'string' ? {message: found} : found].flat())
      run.checks.push({group, name, status: 'ok', source: null, cure: null, fixable: false, ...each});
  }
  return run.checks;
}

const note = (message: string, cure: string): CheckFinding => ({status: 'note', message, cure});
const problem = (message: string, cure: string): CheckFinding => ({status: 'problem', message, cure});
const isOk = ({checks}: CheckContext, wanted: string): boolean =>
  checks.some(({name, status}) => name === wanted && status === 'ok');

/** Fixes a problem with --fix; otherwise marks it as fixable. @param done what was done, as a sentence */
async function applyFix(
  {fix}: CheckContext,
  found: CheckFinding,
  done: string,
  apply: () => unknown,
): Promise<CheckFinding> {
  if (!fix) return {...found, fixable: true};
  try {
    await apply();
    return {...found, status: 'fixed', message: `Fixed: ${found.message} ${done}`, cure: null};
  } catch (thrown) {
    return {...found, message: `${found.message} It was not fixed: ${messageAndReason(toCentavoError(thrown))}`};
  }
}

const agentText = (agent: ReturnType<Context['agent']>): string =>
  agent ? `${agent.variable} in process ${agent.pid}: nothing can be asked` : 'none seen';

/** The newest Node version that no longer gets security fixes. */
const OLD_NODE = 20;

async function checkNode({context: {health, host, node}}: CheckContext): Promise<CheckResult> {
  // A Node version without node:sqlite needs a package.
  (await health()).openDatabase(':memory:').close();
  return Number.parseInt(node, 10) > OLD_NODE
    ? `${node}, ${host.platform}`
    : note(`Node ${node} no longer gets security fixes.`, 'Install Node 22 or later: https://nodejs.org/en/download');
}

async function checkFiles(
  run: CheckContext,
  name: string,
  kind: 'CONFIG' | 'DATA',
  folderOf: () => string,
): Promise<CheckResult> {
  const {env, health, host, nowMilliseconds} = run.context;
  const {checkFolder, checkOf, foldersElsewhere} = await health();
  const check = (path: string, cure = '') => checkFolder(path, host.user, nowMilliseconds(), cure, checkOf);
  const others = foldersElsewhere(env, host.platform, host.user);
  const other = others.find((each) => check(each).faults.length === 0);
  const elsewhere = `To use another folder: export CENTAVO_${kind}_DIR=${shellQuote(other ?? others.at(-1)!)}`;
  let folder: string;
  try {
    folder = folderOf();
  } catch (error) {
    throw toCentavoError(error).with({hint: elsewhere});
  }
  const {faults, files} = check(folder, elsewhere);
  if (faults.length === 0) return `${folder}, ${files === 0 ? 'nothing yet' : formatCount(files, 'file')}`;
  const found = faults.map(async ({path, message, cure, done = '', fix}) => {
    const fault = {...problem(message, cure), name: path === folder ? name : path.slice(folder.length + 1)};
    const result = fix ? await applyFix(run, fault, done, fix) : fault;
    if (result.status === 'problem') run.reported.push(path);
    return result;
  });
  return Promise.all(found);
}

/** Finds sends that a deleted or replaced history no longer has. */
async function checkSends({context: {runs}}: CheckContext): Promise<CheckResult> {
  const {length} = await (await runs()).lostSends();
  const message = `The history lacks ${formatCount(length, 'send')} that other files of centavo record.`;
  return length === 0 ? [] : note(message, 'centavo restores each before it emails the statement again.');
}

function checkConfiguration({context: {configuration}}: CheckContext): CheckResult {
  const {profiles} = configuration.read();
  return `${configuration.path}, ${formatCount(Object.keys(profiles).length, 'profile')}`;
}

async function checkSetting(context: Context, name: AnySetting): Promise<CheckResult> {
  const {source, ...setting} = await settingRow(context, name);
  const isShown = setting.value !== null && (name === PROFILE_SETTING || source !== 'default');
  return isShown ? {message: shownValue(setting), source} : [];
}

async function checkKey({context}: CheckContext): Promise<CheckResult> {
  const {key} = await context.connection();
  if (!key) return [];
  await context.key();
  return {message: key.masked, source: key.source};
}

/** Checks that the keychain answers. A failure is only a note, because no key of the account is stored there. */
async function checkKeychain({context}: CheckContext): Promise<CheckResult> {
  const connection = await context.connection().catch(() => undefined);
  if (connection?.key?.stored?.store === 'keychain') return [];
  await (await context.keyStores.open('keychain')).read('probe/trial');
  return 'answers';
}

/** Returns the API of the account and the variable that sets its proxy; undefined in the sandbox. */
async function serviceOf({env, settingsInput, webhooks}: Context) {
  const input = await settingsInput();
  const profile = resolveProfile(input);
  if (profile.value === SANDBOX_PROFILE) return undefined;
  const {value: url, source} = resolveEndpoint(profile, input).baseUrl;
  const {hostname, protocol} = new URL(url);
  const isNear = (await webhooks()).isLoopbackHost(hostname);
  const proxy = ['https_proxy', 'HTTPS_PROXY'].find((name) => env[name] && !isNear);
  return {url, source, proxy, isServed: isNear && protocol === 'http:'};
}

async function checkProxy({context}: CheckContext): Promise<CheckResult> {
  const source = (await serviceOf(context))?.proxy;
  return source === undefined ? [] : {message: shownAddress(context.env[source]!), source};
}

/** Checks that the API answers and accepts the key. */
async function checkApi(run: CheckContext): Promise<CheckResult> {
  const {context} = run;
  const service = await serviceOf(context);
  if (!service) return 'the embedded sandbox';
  const {url, source, proxy, isServed} = service;
  const usesKey = isOk(run, 'key') && !(await context.connection()).isPublic;
  const again = `centavo doctor${accountFlagsOf(context)}`;
  const hint = proxy
    ? `To try it without the proxy: env -u ${proxy} ${again}`
    : isServed
      ? `To start a sandbox there: ${serveCommand(url)}`
      : `Check your connection, and the address (${source}), then: ${again}`;
  await reach(context, usesKey ? undefined : url).catch((thrown: unknown) => {
    const error = toCentavoError(thrown);
    const stop = isServed && error.code === OTHER_PROGRAM ? 'Stop that program. ' : '';
    throw nextText(error.details) === undefined ? error.with({hint: stop + hint}) : error;
  });
  return `${url} ${usesKey ? 'accepts the key' : 'answers'}`;
}

const serveCommand = (url: string): string => `centavo sandbox serve --port ${new URL(url).port || 80}`;

const OTHER_PROGRAM = 'another_program';

/** Seconds to wait for the API's answer. */
const SERVICE_TIMEOUT = 10;

/** @throws if the API does not answer @param url replaces the account’s; a refused key then counts as an answer */
async function reach({client, clientOf, flags, signal}: Context, url?: string, key = ''): Promise<void> {
  const isElsewhere = url !== undefined;
  const {customers} = await (isElsewhere ? clientOf({key, baseUrl: url, encoding: 'json'}) : client());
  const timeout = Math.min(SERVICE_TIMEOUT, flags.timeout ?? SERVICE_TIMEOUT) * 1000;
  try {
    await customers.list({limit: 1}, {signal, timeout, ...(isElsewhere && {once: () => {}})});
  } catch (error) {
    const {kind} = toCentavoError(error);
    // The API always has this list, so another program answered.
    if (kind === 'not_found')
      throw new CentavoError('rejected', 'another program answers there, not the Payments API.', {code: OTHER_PROGRAM});
    if (!isElsewhere || kind !== 'auth') throw error;
  }
}

/** Maximum seconds between two clocks. Signatures are valid for five minutes. */
const MAX_CLOCK_SKEW = 60;
const SET_CLOCK: Readonly<Record<string, string>> = {darwin: 'sudo sntp -sS time.apple.com', win32: 'w32tm /resync'};

function checkClock({context: {clockSkew, host, isConsistent}}: CheckContext): CheckResult {
  const skew = clockSkew();
  // A served sandbox may be ahead on purpose.
  if (skew === undefined || isConsistent()) return [];
  const seconds = Math.round(Math.abs(skew) / 1000);
  if (seconds <= MAX_CLOCK_SKEW) return `within ${formatCount(seconds + 1, 'second')} of the service’s`;
  const amount = `${formatCount(Math.round(seconds / 60), 'minute')} ${skew > 0 ? 'ahead of' : 'behind'}`;
  return problem(
    `This machine’s clock is ${amount} the service’s. At 5 minutes or more, events fail verification.`,
    `Synchronize it: ${SET_CLOCK[host.platform] ?? 'sudo timedatectl set-ntp true'}`,
  );
}

async function checkServedSandbox({context}: CheckContext): Promise<CheckResult> {
  const served = await context.servedAt();
  if (served === undefined) return 'never started';
  const {url, key} = served;
  try {
    await reach(context, url, key);
    return `runs at ${url}`;
  } catch (error) {
    if (toCentavoError(error).kind !== 'unavailable') throw error;
    return note(`No sandbox answers at ${url}, so its payment links do not open.`, `To start it: ${serveCommand(url)}`);
  }
}

/** Finds webhooks of killed listeners that still exist in the account. */
async function checkLeases(run: CheckContext): Promise<CheckResult> {
  const {context} = run;
  if (!isOk(run, 'API')) return {status: 'unchecked', message: 'The account must answer first.'};
  const isSandbox = (await context.connection()).mode === 'sandbox';
  // Getting a registrar would open the sandbox.
  const registrar = isSandbox ? undefined : await context.registrar([]);
  const dead = await context.deadLeases(registrar?.account ?? SANDBOX_PROFILE);
  const ids: string[] = [];
  for (const {webhookId} of dead) if ((await registrar?.statusOf(webhookId)) !== 'gone') ids.push(webhookId);
  if (ids.length === 0) return 'no leftover webhooks';
  const message = `A killed listener left a webhook: ${ids.join(', ')}.`;
  const account = accountFlagsOf(context);
  if (!isSandbox) return problem(message, `Delete it: centavo webhooks delete ${ids.join(' ')}${account}`);
  const found = problem(message, `To delete it: centavo doctor --fix${account}`);
  return applyFix(run, found, `Deleted: ${ids.join(', ')}.`, async () => {
    const [{endpoints}, {remove}] = await Promise.all([context.deliveries(), context.registrar([])]);
    for (const {id, webhookId} of dead) {
      await remove(webhookId);
      endpoints.removeLease(id);
    }
  });
}

/** Finds tunnel programs, which a real account needs to send events to this machine. */
async function checkTunnels({context}: CheckContext): Promise<CheckResult> {
  const {readTunnel} = await context.webhooks();
  const texts = ['cloudflared', 'ngrok'];
  const providers = texts.map((each) => valueOrThrow(readTunnel(each, context), '--tunnel'));
  const missing = await Promise.all(providers.map((provider) => provider.missing()));
  const installed = providers.filter((_, index) => missing[index] === undefined).map(({name}) => name);
  if (installed.length > 0) return installed.join(', ');
  const [cloudflared = ''] = missing;
  return note(
    'No tunnel program is installed. Only webhooks of a real account need one.',
    cloudflared.slice(cloudflared.indexOf('. ') + 2),
  );
}
