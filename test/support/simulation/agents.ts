// Random command lines of an agent in live mode, on machines that hold secrets, by every way around a question.

import {cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {PassThrough} from 'node:stream';
import {setTimeout as delay} from 'node:timers/promises';
import {seededRandom} from '../../../src/common/seeded-random.js';
import type {CommandIndex} from '../../../src/cli/catalog/command-index.js';
import {longId} from '../../../src/cli/catalog/short-names.js';
import {findCommand} from '../../../src/cli/dispatch/argv.js';
import {LIMITS, limitHeadroom} from '../../../src/config/settings.js';
import {openDeliveries} from '../../../src/webhooks/index.js';
import {processIdentityOf} from '../../../src/processes/process-identity.js';
import {cliEnvironment} from '../cli.js';
import {runIn} from '../commands.js';
import {lookFor} from '../../output/redaction/leaks.js';
import {CANARIES} from '../scenarios/canaries.js';
import {loggedIn} from '../scenarios/accounts.js';
import {ROWS} from '../scenarios/live-matrix.js';
import {importFile} from '../services/import-service.js';
import {service, type Service} from '../services/service.js';

const {live, webhook, client} = CANARIES;
const lookForSecrets = lookFor([live, webhook, client]);
export const AGENT = {variable: 'CLAUDECODE', pid: 4242};

/** A service that answers every request, with its secrets. @param more fields of each object */
export const tellingService = (more: Readonly<Record<string, unknown>> = {}): Promise<Service> =>
  service(
    {},
    {
      one: ({name}, id) => ({...told, ...more, id, resource: name}),
      list: ({name, prefix}) => [{...told, ...more, id: `${prefix}Made1`, resource: name}],
    },
  );
const told = {
  ...{livemode: true, amount: 3_100_000, amount_refunded: 0, status: 'open', currency: 'PHP'},
  ...{name: 'Juan Dela Cruz', email: 'juan@example.com', url: 'https://shop.example/hooks'},
  customer: {id: 'cus_2mQ8', name: 'Juan Dela Cruz', email: 'juan@example.com'},
  line_items: [{id: 'bstm_li_4Rt8', description: 'Web design', unit_price: 1_550_000, quantity: 2}],
  events: ['payment_intent.succeeded'],
  ...{secret_key: webhook.text, client_secret: client.text},
  ...{metadata: {}, created_at: 1_790_000_000, updated_at: 1_790_000_000, due_at: 1_990_000_000},
  ...{billing_statement_number: 'INV-1', billing_statement_url: 'https://pay.example/1', description: null},
  payment_intent: {id: 'pi_5kT1', client_secret: client.text},
};

/** A machine whose profile `shop` has the live key and limits, `twin` the same key, and whose listener has a secret. */
export async function machineOf(url: string): Promise<string> {
  const {directory, configuration, keep} = await loggedIn(live.text, url);
  await keep(live.text, url, {profile: 'twin'});
  const written = JSON.parse(readFileSync(configuration, 'utf8'));
  written.profile = 'shop';
  Object.assign(written.profiles.shop, {max_statements_per_run: 5, max_amount: 5_000_000});
  writeFileSync(configuration, JSON.stringify(written));
  const store = openDeliveries(join(directory, 'deliveries.db'), {owner: processIdentityOf(process.pid, 0)});
  for (const profile of ['shop', 'twin', 'env'])
    store.endpoints.save({profile, mode: 'live', name: 'shop'}, {port: 0, token: 'abc', secret: webhook.text});
  store.close();
  writeFileSync(join(directory, 'june.csv'), importFile(2).text);
  return directory;
}

const SETTINGS = [
  ...[
    ['agents', 'allow'],
    ['max_amount', '1,000,000'],
    ['max_statements_per_run', '1000'],
    ['read_only', 'false'],
  ],
  ...[
    ['base_url', 'sandbox'],
    ['timeout', '5s'],
  ],
];
const PROFILES = ['shop', 'twin', 'env', 'sandbox', 'other'];

/** Lines beside the changes of the table. */
const MORE: readonly (readonly string[])[] = [
  ...SETTINGS.map((words) => ['config', 'set', ...words]),
  ...['agents', 'max_amount', 'max_statements_per_run', 'read_only'].map((name) => ['config', 'unset', name]),
  ...[['login', '--with-token', '--offline', '--insecure-storage=live'], ['logout'], ['logout', '--force']],
  ...PROFILES.flatMap((name) => [
    ['profiles', 'use', name],
    ['profiles', 'remove', name],
    ['profiles', 'remove', name, '--force'],
  ]),
  ...[
    ['profiles', 'list'],
    ['config', 'list', '--show-origin'],
    ['status'],
    ['doctor'],
    ['history'],
    ['why', 'bstm_Made1'],
  ],
  ...[['approve'], ['approve', '<ho>'], ['approve', '<ho>'], ['approve', '--reject', '<ho>'], ['approve', '--list']],
  ...[
    ['billing-statements', 'import', '<file>'],
    ['billing-statements', 'import', '<file>', '--send', '--period', 'month'],
  ],
  ...[
    ['billing-statements', 'import', '-', '--send'],
    ['jobs', 'list'],
    ['jobs', 'resume'],
    ['jobs', 'void', 'job_7f2kq81m0x'],
  ],
  ...[
    ['billing-statements', 'void', 'bstm_1', 'bstm_2'],
    ['billing-statements', 'reissue', 'bstm_1', '--due', '+9d'],
  ],
  ...[
    ['billing-statements', 'edit', 'bstm_1', '--due', '+9d'],
    ['billing-statements', 'duplicate', 'bstm_1', '--due', '+9d'],
  ],
  ...[
    ['billing-statements', 'create'],
    ['billing-statements', 'settle', 'bstm_1'],
    ['billing-statements', 'remind', '--overdue', '7d'],
  ],
  ...[
    ['refunds', 'create'],
    ['refunds', 'create', '--payment', 'pay_1', '--amount', '100', '--reason', 'others'],
  ],
  ...['/webhooks', '/webhooks/wh_1', '/payment_intents/pi_1', '/customers'].map((path) => ['api', 'GET', path]),
  ...[
    ['api', 'DELETE', '/webhooks/wh_1'],
    ['api', 'POST', '/webhooks', '-d', 'url=https://a.example/b'],
  ],
  ...[
    ['webhooks', 'secret', '--name', 'shop'],
    ['webhooks', 'secret'],
    ['webhooks', 'list'],
    ['webhooks', 'get', 'wh_1'],
  ],
  ...[
    ['webhooks', 'get', '--reveal=wh_1'],
    ['get', '--reveal=wh_1'],
    ['payment-intents', 'get', '--reveal=pi_1'],
  ],
  ...[
    ['get', 'wh_1'],
    ['get', 'pi_1'],
    ['find', 'Juan'],
    ['payment-intents', 'get', 'pi_1'],
    ['checkout-sessions', 'get', 'cs_1'],
  ],
  ...[
    ['webhooks', 'deliveries', 'list'],
    ['webhooks', 'deliveries', 'get', 'dlv_1'],
    ['webhooks', 'deliveries', 'get', '--reveal=dlv_1'],
    ['webhooks', 'replay', '--failed'],
  ],
  ...[['webhooks', 'listen', '--plain', '--count', '1', '--timeout', '1s', '--print-secret', '--name', 'shop']],
  ...[['webhooks', 'listen', '--keep', '--count', '1', '--timeout', '1s', '--write-env', '<folder>/.env', '--', 'env']],
  ...[
    ['dev', '--port', '0', '--', 'env'],
    ['customers', 'list'],
    ['billing-statements', 'list'],
    ['month'],
    ['commands'],
  ],
];

/** Flags that an agent may add: at most one of each kind. */
const FLAGS: readonly (readonly (readonly string[])[])[] = [
  [['--allow-duplicate']],
  [
    ['--idempotency-key', 'one'],
    ['--idempotency-key', 'two'],
  ],
  [['--no-input']],
  [['--reveal']],
  [['-v'], ['--verbose'], ['--quiet']],
  [['--dry-run']],
  [['-o', 'curl'], ['--json'], ['-o', 'csv'], ['--jq', '.'], ['--fields', 'id,secret_key,client_secret']],
  PROFILES.flatMap((name) => [
    ['--profile', name],
    ['-p', name],
  ]),
];

const INDEX: CommandIndex = JSON.parse(readFileSync(new URL('../../../bundle/commands.json', import.meta.url), 'utf8'));
/** Flags that some commands have. */
const KEYED = /^--(?:allow-duplicate|idempotency-key)$/;

export interface Line {
  readonly words: readonly string[];
  readonly terminal: boolean;
  /** Stdin of a line without a terminal. */
  readonly input: string;
  /** Which of the variables are set, and to where. */
  readonly env: Readonly<Record<string, string>>;
}

const INPUTS = ['', 'y\n'.repeat(50), 'yes\ny\n', live.text, 'y'];

type Random = ReturnType<typeof randomOf>;
const randomOf = (seed: number) => {
  const next = seededRandom(seed);
  const upTo = (most: number): number => Math.floor(next() * most);
  return {upTo, chance: (share: number) => next() < share, pick: <T>(all: readonly T[]): T => all[upTo(all.length)]!};
};

/** @param folder of the machine; the agent may make others below it */
function drawLine(random: Random, folder: string, url: string): Line {
  const base = random.chance(0.5) ? random.pick(ROWS).words : random.pick(MORE);
  const own = Object.keys(INDEX.commands[longId(findCommand(base, INDEX.commands).typed!)]!.flags);
  const flags = FLAGS.flatMap((kind) => (random.chance(0.12) ? random.pick(kind) : [])).filter(
    (word, index, all) =>
      ![word, all[index - 1]].some((each) => KEYED.test(each ?? '') && !own.includes(each!.slice(2))),
  );
  if (random.chance(0.7)) flags.push('--live', ...(random.chance(0.5) ? ['--yes'] : []));
  const stop = base.indexOf('--');
  const [before, after] = stop < 0 ? [base, []] : [base.slice(0, stop), base.slice(stop)];
  const elsewhere = (name: string): Record<string, string> =>
    random.chance(0.15) ? {[name]: join(folder, random.pick(['other', 'third']))} : {};
  return {
    words: [...before, ...flags, ...after],
    terminal: random.chance(0.5),
    input: before.includes('-') ? importFile(2).text : before[0] === 'login' ? live.text : random.pick(INPUTS),
    env: {
      ...(random.chance(0.5) && {CENTAVO_SECRET_KEY: live.text, CENTAVO_BASE_URL: url}),
      ...(random.chance(0.2) && {CENTAVO_PROFILE: random.pick(PROFILES)}),
      ...{...elsewhere('HOME'), ...elsewhere('CENTAVO_DATA_DIR'), ...elsewhere('CENTAVO_CONFIG_DIR')},
      ...(random.chance(0.1) && {CENTAVO_AGENTS: 'allow'}),
      ...(random.chance(0.1) && {CLAUDECODE: ''}),
    },
  };
}

export const drawSequence = (seed: number, folder: string, url: string): readonly Line[] => {
  const random = randomOf(seed);
  return Array.from({length: 2 + random.upTo(7)}, () => drawLine(random, folder, url));
};

/** Milliseconds after which a listener is stopped, and any other line. */
const LISTENS = 300;
const LONGEST = 30_000;
/** Milliseconds of every wait. */
const SHORT = 2;

/** Runs a line as an agent. A terminal answers y to all that is printed. @param isAgent false for a person, to compare */
export async function runLine(folder: string, line: Line, isAgent = true): Promise<{status: number; shown: string}> {
  const {words, terminal, input, env} = line;
  let shown = '';
  const stdin = Object.assign(new PassThrough(), {isTTY: terminal, setRawMode: () => stdin});
  const output = (): any => ({
    ...(terminal && {isTTY: true, columns: 200}),
    on: () => {},
    once: () => {},
    off: () => {},
    removeListener: () => {},
    write: (text: string, done?: () => void) => {
      shown += text;
      if (terminal && /\?/.test(text)) setImmediate(() => stdin.write('y\r\n'));
      done?.();
      return true;
    },
  });
  const words_ = words.map((word) => word.replace('<file>', join(folder, 'june.csv')).replace('<folder>', folder));
  const {signal, abort} = stoppable();
  const timer = setTimeout(abort, /^(?:dev|webhooks listen)\b/.test(words.join(' ')) ? LISTENS : LONGEST);
  const status = await runIn(
    folder,
    words_,
    {
      ...{stdin: stdin as never, stdout: output(), stderr: output(), signal},
      env: cliEnvironment(folder, {CENTAVO_PROFILE: undefined, ...env}, ['login']),
      readInputBytes: async () => Buffer.from(input),
      findAgent: async () => (isAgent ? AGENT : undefined),
      sleep: (milliseconds, wake) => delay(Math.min(milliseconds, SHORT), undefined, {signal: wake}),
    },
    () => (signal.aborted ? 130 : undefined),
  ).catch((error: Error) => {
    shown += error.stack;
    return -1;
  });
  clearTimeout(timer);
  stdin.destroy();
  return {status, shown};
}

function stoppable() {
  const controller = new AbortController();
  return {signal: controller.signal, abort: () => controller.abort()};
}

/** Every configuration below a folder, by path. */
function configurations(folder: string): any[] {
  const files = readdirSync(folder, {recursive: true, encoding: 'utf8'}).filter((name) => name.endsWith('config.json'));
  return files.map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** The limits of a machine that are looser than at first. */
function loosened(folder: string, first: any): string[] {
  const path = join(folder, '.config/centavo/config.json');
  const now = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {profiles: {}};
  const own = Object.entries<any>(first.profiles).flatMap(([name, profile]) =>
    LIMITS.filter(
      (limit) => limitHeadroom(limit, now.profiles[name]?.[limit]) > limitHeadroom(limit, profile[limit]),
    ).map((limit) => `${limit} of ${name}`),
  );
  const allowed = configurations(folder).flatMap(({profiles = {}}) =>
    Object.entries<any>(profiles).flatMap(([name, {agents}]) => (agents === 'allow' ? [`agents of ${name}`] : [])),
  );
  return [...own, ...allowed];
}

export interface Played {
  /** What must not have happened; each with the lines until then. */
  readonly wrong: readonly string[];
  /** Codes of errors, or `ok`, and how often. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly lines: number;
  /** Changes at the service. */
  readonly writes: number;
}

/** Plays a sequence on a copy of the machine. */
export async function playAsAgent(
  lines: readonly Line[],
  {machine, folder, api}: {machine: string; folder: string; api: Service},
  isAgent = true,
): Promise<Played> {
  rmSync(folder, {recursive: true, force: true});
  cpSync(machine, folder, {recursive: true});
  for (const name of ['other', 'third']) mkdirSync(join(folder, name), {mode: 0o700});
  const [first] = configurations(folder);
  const before = api.writes().length;
  const outcomes = new Map<string, number>();
  const wrong: string[] = [];
  let id = 'ho_unknown';
  const log: string[] = [];
  for (const line of lines) {
    const words = line.words.map((word) => word.replace('<ho>', id));
    const {status, shown} = await runLine(folder, {...line, words}, isAgent);
    log.push(`${JSON.stringify({...line, words, input: line.input.slice(0, 10)})} → ${status}`);
    id = /\bho_\w{8,}/.exec(shown)?.[0] ?? id;
    const word = status === 12 && /\bho_\w{8,}/.test(shown) ? 'handed over' : `exit ${status}`;
    outcomes.set(word, (outcomes.get(word) ?? 0) + 1);
    const {leak} = lookForSecrets(shown);
    const bad = [
      ...(status === -1 ? [shown.slice(-600)] : []),
      ...(isAgent && leak !== undefined ? [`A secret: ${leak}`] : []),
      ...(isAgent && api.writes().length > before ? [`A change: ${api.writes().slice(before).join(', ')}`] : []),
      ...(isAgent ? loosened(folder, first).map((what) => `Loosened: ${what}`) : []),
    ];
    if (bad.length > 0) {
      wrong.push([...bad, ...log, shown.slice(0, 500)].join('\n'));
      break;
    }
  }
  return {wrong, outcomes, lines: log.length, writes: api.writes().length - before};
}
