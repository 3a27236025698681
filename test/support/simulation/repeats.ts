// Histories of repeats on one machine: scripts with and without keys, people, two processes at once, colleagues at the dashboard.
// The real commands run against a hostile service in virtual time. What happened in the account is known exactly.

import {mkdtempSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {seededRandom} from '../../../src/common/seeded-random.js';
import {IN_MEMORY} from '../commands.js';
import {runCommand, type Person, type Said} from './command-process.js';
import {drawn, listed, NO_FAULTS, RATES, scaled, type Fault} from './faults.js';
import type {Applied} from './hostile-service.js';
import {EmbeddedAccount, type Account} from './embedded-account.js';
import {World} from './world.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** How long an equal change without a key is a repeat, and how near to its end the simulation does not judge. */
const WINDOW = 20 * HOUR;
const EDGE = 10 * MINUTE;
/** After this, a key may be forgotten. */
const KEPT = 90 * DAY;

const TASKS = ['bill', 'customer', 'finalize', 'refund', 'send', 'session', 'webhook'] as const;
type Task = (typeof TASKS)[number];
/** Tasks whose repeats without a key are recognised. */
const GUARDED: readonly Task[] = ['bill', 'finalize', 'refund', 'send'];
/** Tasks whose objects are looked up in lists. */
const FOUND: readonly Task[] = ['customer', 'session', 'webhook'];

/** One command line, typed by a script or a person. */
export interface Typed {
  readonly does: 'command';
  readonly seed: number;
  /** Milliseconds since the last step. */
  readonly after: number;
  readonly task: Task;
  readonly variant: number;
  readonly key?: string;
  readonly allowDuplicate?: boolean;
  /** A person answers questions. `another`: she wants another equal change, whatever was done. */
  readonly person?: 'another' | 'once';
  /** Multiple of the usual rates of faults, or faults by the number of the change. */
  readonly faults: number | Readonly<Record<number, Fault>>;
  /** Milliseconds by which somebody sets the clock of the machine while it may run. */
  readonly jump?: number;
  /** Another process that starts within half a second. */
  readonly beside?: Typed;
}

/** Something that happens elsewhere. */
export interface Elsewhere {
  readonly does:
    'advance' | 'delete' | 'finalize' | 'jump' | 'pay' | 'refund' | 'reset' | 'same email' | 'send' | 'void';
  readonly after: number;
  /** Milliseconds, of a clock that jumps. */
  readonly by?: number;
}

export type Step = Elsewhere | Typed;

const pick = <T>(chance: () => number, all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;

const GAPS = [
  ...[3 * SECOND, 3 * SECOND, 20 * SECOND, 40 * SECOND, 2 * MINUTE, 2 * MINUTE, HOUR],
  ...[5 * HOUR, 19 * HOUR, 21 * HOUR, DAY, DAY, 3 * DAY, 30 * DAY],
];

const JUMPS = [40 * DAY, -40 * DAY, DAY];

/** True if the account of a history is the embedded sandbox. */
export const isEmbedded = (seed: number): boolean => seed % 4 === 0;

export function drawHistory(seed: number): Step[] {
  const chance = seededRandom(seed);
  const jumps = seededRandom(10 * seed + 5);
  const count = 4 + Math.floor(chance() * 6);
  const themes = Array.from({length: chance() < 0.6 ? 1 : 2}, () => ({
    task: pick(chance, TASKS),
    variant: Math.floor(chance() * 2),
    how: pick(chance, ['plain', 'plain', 'daily key', 'one key', 'one key', 'mixed'] as const),
  }));
  let day = 0;
  const typed = (after: number): Typed => {
    const {task, variant, how} = pick(chance, themes);
    day += after / DAY;
    const keys = {plain: undefined, 'daily key': `day-${Math.floor(day)}`, 'one key': 'first', mixed: undefined};
    const key = how === 'mixed' ? pick(chance, [undefined, 'first', 'second']) : keys[how];
    return {
      does: 'command',
      seed: Math.floor(chance() * 2 ** 32),
      ...{after, task},
      // The other amount, under the same key, is another change.
      variant: task === 'send' ? 0 : chance() < 0.1 ? 1 - variant : variant,
      ...(key !== undefined && {key: `${task}-${key}`}),
      ...(chance() < 0.05 && {allowDuplicate: true}),
      ...(jumps() < 0.1 && {jump: pick(jumps, JUMPS)}),
      ...(chance() < 0.3 && {person: chance() < 0.7 ? 'once' : 'another'}),
      faults: pick(chance, [0, 1, 1, 3, 6]),
    };
  };
  return Array.from({length: count}, (): Step => {
    const after = pick(chance, GAPS) * (0.9 + chance() * 0.2);
    const elsewhere = chance();
    if (elsewhere < 0.05) return {does: 'jump', after, by: pick(chance, JUMPS)};
    if (isEmbedded(seed) && elsewhere < 0.12)
      return elsewhere < 0.08 ? {does: 'reset', after} : {does: 'advance', after, by: pick(chance, [1, 5, 40]) * DAY};
    if (elsewhere < 0.25)
      return {
        does: pick(chance, ['delete', 'finalize', 'pay', 'refund', 'same email', 'send', 'void'] as const),
        after: Math.min(after, MINUTE),
      };
    const one = typed(after);
    return chance() < 0.2 ? {...one, beside: typed(chance() < 0.5 ? 0 : chance() * 500)} : one;
  });
}

/** A run of a command, and what it said. */
interface Run {
  readonly run: number;
  readonly typed: Typed;
  readonly argv: readonly string[];
  /** Undefined: it was killed. */
  readonly said: Said | undefined;
  /** True if a person knew of an equal change, and wanted another one. */
  readonly confirmed: boolean;
  /** Id of the object in its output. */
  readonly named: string | undefined;
  /** Milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface Played {
  readonly wrong: readonly string[];
  readonly commands: number;
  readonly kills: number;
  /** Faults of requests. */
  readonly faults: number;
  /** Number of commands by their result: `ok`, `already`, the code of an error, `killed`. */
  readonly outcomes: ReadonlyMap<string, number>;
  readonly log: readonly string[];
}

/** An effect that must not happen twice. */
interface Effect {
  readonly run: Run;
  readonly at: number;
  readonly what: 'email' | 'object';
  readonly id: string;
}

const OBJECTS = ['/checkout_sessions', '/customers', '/refunds', '/webhooks'];

class Shop {
  readonly world: World;
  readonly folder = mkdtempSync(join(IN_MEMORY, 'centavo-test-'));
  readonly runs: Run[] = [];
  /** Those before the last reset. */
  readonly #past: Run[] = [];

  readonly wrong: string[] = [];
  ahead = 0;
  kills = 0;
  readonly #living = new Set<number>();
  readonly #confirmed = new Set<number>();
  /** Runs of which a person has said that they were done, or that may have recorded so before they were killed. */
  readonly #told = new Set<number>();
  #customer = '';
  #payment = '';
  #statement = '';

  readonly #embedded: EmbeddedAccount | undefined;

  constructor(
    seed: number,
    readonly log: string[],
  ) {
    this.world = new World({seed});
    if (isEmbedded(seed)) this.#embedded = new EmbeddedAccount(this.folder, () => this.world.now() + this.ahead);
  }

  get account(): Account {
    return this.#embedded ?? this.world;
  }

  async open(): Promise<void> {
    const {account} = this;
    const customer = {name: 'Juan', email: 'juan@example.com', currency: 'PHP'};
    ({id: this.#customer} = await account.call('POST', '/customers', customer));
    const billed = async (): Promise<string> => {
      const {id} = await account.call('POST', '/billing_statements', {customer_id: this.#customer, currency: 'PHP'});
      const item = {billing_statement_id: id, description: 'Deposit', quantity: 1, unit_price: 900_000};
      await account.call('POST', '/billing_statement_line_items', item);
      await account.call('PUT', `/billing_statements/${id}`, {due_at: 1_900_000_000});
      await account.call('POST', `/billing_statements/${id}/finalize`);
      return id as string;
    };
    const paid = await billed();
    account.pays(paid);
    ({
      payment_intent: {
        latest_payment: {id: this.#payment},
      },
    } = await account.call('GET', `/billing_statements/${paid}`));
    this.#statement = await billed();
  }

  close(): void {
    this.#embedded?.close();
    this.world.close();
    rmSync(this.folder, {recursive: true, force: true});
  }

  argvOf({task, variant, key, allowDuplicate, person}: Typed): string[] {
    const bill = [
      ...['billing-statements', 'create', '--customer', this.#customer],
      ...['--item', `Rent @ ${1500 + variant}`, '--due', '2028-12-15'],
    ];
    const shop = 'https://shop.example';
    const words: Record<Task, readonly string[]> = {
      bill: [...bill, '--send'],
      customer: ['customers', 'create', '--name', 'Ana', '--email', `ana${variant}@example.com`],
      finalize: [...bill, '--finalize'],
      refund: ['refunds', 'create', '--payment', this.#payment, '--amount', `${100 + variant}`, '--reason', 'others'],
      send: ['billing-statements', 'send', this.#statement],
      session: [
        ...['checkout-sessions', 'create', '--item', `Shirt @ ${450 + variant}`],
        ...['--success-url', `${shop}/thanks`, '--cancel-url', `${shop}/cart`],
      ],
      webhook: ['webhooks', 'create', '--url', `${shop}/hooks${variant}`, '--events', 'billing_statement.paid'],
    };
    return [
      ...words[task],
      ...(key === undefined ? [] : ['--idempotency-key', key]),
      ...(allowDuplicate && GUARDED.includes(task) ? ['--allow-duplicate'] : []),
      ...(person ? [] : ['--json']),
    ];
  }

  /** Every effect of runs so far, in order. */
  effects(): Effect[] {
    return this.account.applied.flatMap(({by, at, method, path, id}: Applied): Effect[] => {
      const run = typeof by === 'number' ? this.#runOf(by) : undefined;
      if (!run || method !== 'POST') return [];
      const isObject = OBJECTS.includes(path) || path.endsWith('/finalize');
      if (!isObject && !path.endsWith('/send')) return [];
      return [{run, at, what: isObject ? 'object' : 'email', id: id ?? path.split('/')[2]!}];
    });
  }

  readonly #begun = new Map<number, Run>();
  readonly #runOf = (by: number): Run | undefined => this.runs.find(({run}) => run === by) ?? this.#begun.get(by);

  async perform(typed: Typed): Promise<void> {
    const {account, world} = this;
    const argv = this.argvOf(typed);
    const chance = seededRandom(typed.seed);
    const rate = typeof typed.faults === 'number' ? typed.faults : 0;
    const drawnFaults = rate === 0 ? NO_FAULTS : drawn(chance, scaled(RATES, rate));
    const faults = typeof typed.faults === 'number' ? drawnFaults : listed(typed.faults);
    let number = -1;
    const startedAt = account.now();
    if (typed.jump) void world.passed(chance() * 20 * SECOND).then(() => (this.ahead += typed.jump!));
    const ended = await world.start(
      'A',
      (around) => {
        number = around.run;
        const unknown = {said: undefined, named: undefined, confirmed: false};
        this.#begun.set(number, {run: number, typed, argv, ...unknown, startedAt, endedAt: Infinity});
        return runCommand(world, around, {
          ...{argv, folder: this.folder, living: this.#living, ahead: () => this.ahead, seed: typed.seed},
          env: this.#embedded
            ? {}
            : {CENTAVO_BASE_URL: 'https://service.test', CENTAVO_SECRET_KEY: world.sandbox.keys.secret},
          person: typed.person && this.#person(number, typed, chance, around.sleep),
          commitKills: rate * (this.#embedded ? 0.02 : 0.01),
          onCommitKill: () => void this.#told.add(number),
        });
      },
      {faults},
    );
    if (ended.ended === 'interrupted' && ended.error !== undefined) throw ended.error as Error;
    const said = ended.ended === 'killed' ? undefined : ended.value;
    if (!said) this.kills++;
    const confirmed = this.#confirmed.has(number);
    const named = said && namedIn(said);
    const run = {run: number, typed, argv, said, named, confirmed, startedAt, endedAt: account.now()};
    this.runs.push(run);
    const made = account.applied.filter(({by}) => by === number).map(({method, path}) => `${method} ${path}`);
    this.log.push(
      `${new Date(world.now()).toISOString()} #${number} ${typed.person ?? 'script'}: ${argv.join(' ')}\n    → ${
        said ? `${said.status} ${said.result} applied ${said.applied}` : 'killed'
      }; made ${made.join(', ') || 'nothing'}${said ? `\n    ${shortened(said)}` : ''}`,
    );
    this.#judge(run);
  }

  /** A person who looks at the dashboard, and says the truth. */
  #person(number: number, typed: Typed, chance: () => number, sleep: (milliseconds: number) => Promise<void>): Person {
    const {key, task, variant, person} = typed;
    const isEqual = ({run}: Effect): boolean => run.typed.task === task && run.typed.variant === variant;
    const ofKey = (): Effect[] => this.effects().filter(({run}) => run.typed.key === key);
    const note = (text: string): void => void this.log.push(`  #${number} ${text}`);
    return {
      confirm: async (question) => {
        const names = /although|may have been/.test(question);
        // What was lost has arrived, or never will.
        await sleep(names ? 45 * SECOND : chance() < 0.2 ? 10 * MINUTE : 3 * SECOND);
        const wants = !names || person === 'another' || !this.effects().some(isEqual);
        if (names && wants) this.#confirmed.add(number);
        note(`${question} ${wants ? 'yes' : 'no'}`);
        return wants;
      },
      select: async (question, choices) => {
        await sleep(2 * SECOND);
        const asked = /under the key/.test(question)
          ? ofKey()
          : this.effects().filter((each) => isEqual(each) && this.#isNamed(each.run, question));
        const truth = chance() < 0.2 ? 'unknown' : asked.length > 0 ? 'made' : 'not_made';
        if (truth === 'made') for (const {run} of asked) this.#told.add(run.run);
        note(`${question} ${truth}`);
        return choices.find(({value}) => value === truth)!.value;
      },
      text: async (question) => {
        note(question);
        return ofKey()[0]!.id;
      },
    };
  }

  /** True if a question names the minute of a run: `on 15 Jan at 16:02`. */
  #isNamed({startedAt, endedAt}: Run, question: string): boolean {
    const minute = / at (\d\d:\d\d)/.exec(question)?.[1];
    const until = Math.min(endedAt, startedAt + HOUR);
    for (let at = startedAt; ; at += MINUTE) {
      const manila = new Date(Math.min(at, until) + 8 * HOUR).toISOString();
      if (manila.slice(11, 16) === minute) return true;
      if (at >= until) return false;
    }
  }

  /** Judges what a command said, as things are at its end. */
  #judge(run: Run): void {
    const {said, typed, named} = run;
    if (!said) return;
    const say = (text: string): void => void this.wrong.push(`${text}: #${run.run} ${run.argv.join(' ')}`);
    const {status} = said;
    if (![0, 3, 5, 7, 8, 10, 11, 12, 130].includes(status)) return say(`exit ${status} (${said.result})`);
    if (status !== 0) return;
    const isAlready = isAlreadyDone(said);
    const own = this.effects().filter((each) => each.run.run === run.run);
    if (isAlready && own.length > 0) say('already, and something was made');
    const {key, task, variant} = typed;
    const made =
      key === undefined
        ? own
        : this.effects().filter((each) => each.run.typed.key === key && each.run.typed.variant === variant);
    const isEmail = task === 'send';
    const statement = ['bill', 'finalize'].includes(task)
      ? this.account.truth().find((each) => each.id === named)
      : undefined;
    if (statement) {
      if (statement.status === 'draft' || statement.status === 'deleted') say(`done, and it is ${statement.status}`);
      if (task === 'bill' && statement.emails.length === 0 && statement.status !== 'paid')
        say('done, and no email was sent');
      const by = statement.createdBy;
      const maker = typeof by === 'number' ? this.#runOf(by) : undefined;
      const isOwn = maker && (key === undefined ? maker.run === run.run : maker.typed.key === key);
      if (!isOwn) say('done, and the statement is of another change');
    } else if (!made.some(({what}) => what === (isEmail ? 'email' : 'object')) && !this.#isSwapped(run))
      say('done, and nothing was made');
    if (isAlready && ['customer', 'webhook'].includes(task) && this.#isGone(named)) say('already, and it is gone');
  }

  /** True if the answer is what another process made, and nobody can tell which of the two made it. */
  #isSwapped({named, typed: {key, task, variant}}: Run): boolean {
    if (key === undefined || !FOUND.includes(task)) return false;
    const maker = this.effects().find(({id}) => id === named)?.run;
    if (maker?.typed.task !== task || maker.typed.variant !== variant) return false;
    if (maker.typed.key === undefined) return maker.said?.status !== 0;
    return !this.runs.some(
      (each) => each.typed.key === maker.typed.key && each.said?.status === 0 && each.named === named,
    );
  }

  #isGone(id: string | undefined): boolean {
    return this.account.applied.some(({method, path}) => method === 'DELETE' && path.endsWith(`/${id}`));
  }

  /** Judges everything at the end. */
  judgeAll(): void {
    const effects = this.effects();
    const say = (text: string, ...runs: readonly Run[]): void =>
      void this.wrong.push(`${text}: ${runs.map(({run, argv}) => `#${run} ${argv.join(' ')}`).join(' and ')}`);
    for (const run of this.runs) {
      const made = this.account.applied.filter(({by}) => by === run.run);
      if (run.said?.applied === 'no' && made.length > 0) say(`applied no, and made ${made[0]!.path}`, run);
      if (run.said?.applied === 'yes' && run.said.status !== 0 && made.length === 0)
        say('applied yes, and made nothing', run);
    }
    effects.forEach((later, index) => {
      for (const earlier of effects.slice(0, index)) {
        if (later.what !== earlier.what) continue;
        const [one, other] = [earlier.run, later.run];
        if (one.run === other.run) say(`${later.what} twice by one command`, one);
        else if (one.typed.key !== undefined && one.typed.key === other.typed.key) {
          const isOther = this.runs.some((each) => each.typed.key !== one.typed.key && each.named === earlier.id);
          const isSwapped = FOUND.includes(one.typed.task) && isOther;
          if (later.at - earlier.at < KEPT && !isSwapped && !this.#isGone(earlier.id))
            say(`${later.what} twice under one key`, one, other);
        } else if (this.#isRepeat(earlier, later)) say(`${later.what} repeated`, one, other);
      }
    });
  }

  #isRepeat(earlier: Effect, later: Effect): boolean {
    const [one, other] = [earlier.run, later.run];
    const [{task, variant}, typed] = [one.typed, other.typed];
    if (typed.task !== task || typed.variant !== variant || !GUARDED.includes(task)) return false;
    // Different keys are different changes.
    if (one.typed.key !== undefined && typed.key !== undefined) return false;
    if (typed.allowDuplicate || other.confirmed) return false;
    // A person who wanted this one in spite of the other, while the other was at work or before it went on.
    const begun = Math.min(
      ...this.runs.flatMap((each) =>
        each.run === other.run || (typed.key !== undefined && each.typed.key === typed.key) ? each.startedAt : [],
      ),
    );
    if ((one.typed.allowDuplicate || one.confirmed) && begun <= earlier.at) return false;
    const isVoid = this.account.truth().some((each) => each.id === earlier.id && each.voided !== undefined);
    if (isVoid) return false;
    // The clock of the embedded sandbox is this machine's: while it is set, the time of a command has passed.
    const since = this.#embedded ? Math.min(one.startedAt, earlier.at) : earlier.at;
    return later.at - since < WINDOW - EDGE || this.#isUnknown(earlier, later.at);
  }

  /** True if this machine cannot know the outcome of an effect. */
  #isUnknown({run, what, id, at: sentAt}: Effect, at: number): boolean {
    const isKnown = ({said, endedAt}: Run): boolean => said?.status === 0 && endedAt < at;
    // A process that was killed after an answer has recorded it.
    if (what === 'email' && !run.said && run.endedAt > sentAt) return false;
    if (isKnown(run) || run.said?.applied === 'yes' || this.#told.has(run.run)) return false;
    const {key, task, variant} = run.typed;
    // What was made later, in spite of it, is known.
    const isSame = ({typed: other, endedAt}: Run): boolean =>
      key === undefined || what === 'email'
        ? other.task === task && other.variant === variant && endedAt > run.endedAt
        : other.key === key;
    if (this.runs.some((each) => isSame(each) && isKnown(each))) return false;
    // A statement shows its own state, and its email belongs to it.
    return task !== 'bill' && !(what === 'object' && id.startsWith('bstm_'));
  }

  async elsewhere({does, by = 0}: Elsewhere): Promise<void> {
    const {account} = this;
    this.log.push(
      `${new Date(account.now()).toISOString()} elsewhere: ${does}${by === 0 ? '' : ` by ${by / DAY} days`}`,
    );
    if (does === 'jump') this.ahead += by;
    if (does === 'advance') this.#embedded?.advance(by);
    if (does === 'reset') await this.#reset();
    const mine = account.truth().filter(({createdBy}) => typeof createdBy === 'number');
    const newest = (status: string) => mine.findLast((each) => each.status === status)?.id;
    const made = this.effects().findLast(({id}) => /^(cus|wh)_/.test(id))?.id;
    const call = (method: 'DELETE' | 'POST', path: string, body?: object) => account.call(method, path, body, 'person');
    const refund = {payment_id: this.#payment, amount: 10_000, currency: 'PHP', reason: 'others'};
    const customer = {name: 'Another', email: 'ana0@example.com', currency: 'PHP'};
    const acts: Record<Elsewhere['does'], () => Promise<unknown>> = {
      delete: async () => made && call('DELETE', `/${made.startsWith('cus_') ? 'customers' : 'webhooks'}/${made}`),
      finalize: async () => newest('draft') && account.person('finalize', newest('draft')!),
      advance: async () => {},
      jump: async () => {},
      reset: async () => {},
      pay: async () => newest('open') && account.pays(newest('open')!),
      refund: () => call('POST', '/refunds', refund),
      'same email': () => call('POST', '/customers', customer),
      send: () => account.person('send', newest('open') ?? this.#statement),
      void: async () => newest('open') && account.person('void', newest('open')!),
    };
    await acts[does]();
  }

  get all(): readonly Run[] {
    return [...this.#past, ...this.runs];
  }

  /** What was before a reset is forgotten. */
  async #reset(): Promise<void> {
    this.judgeAll();
    this.#embedded?.reset();
    this.#past.push(...this.runs.splice(0));
    this.#begun.clear();
    await this.open();
  }

  /** Runs each change with a key again, without faults: the outcome is clear now, and stays as it is. */
  async settle(): Promise<void> {
    await this.world.rest();
    await this.world.pass(10 * MINUTE);
    const keyed = new Map<string, Typed>();
    for (const {typed} of this.runs)
      if (typed.key !== undefined && !keyed.has(typed.key))
        keyed.set(typed.key, {...typed, faults: 0, person: undefined});
    for (const typed of keyed.values()) {
      const first = this.runs.find((each) => each.typed.key === typed.key)!;
      if (this.account.now() - first.startedAt > KEPT) continue;
      for (let time = 0; time < 2; time++) await this.world.run(this.perform(typed));
      const [one, other] = this.runs.slice(-2).map(({said}) => said);
      const isSame = one!.status === other!.status || one!.status === 0;
      if (!isSame) this.wrong.push(`run again, it ended with ${other!.status} after ${one!.status}: ${typed.key}`);
      if (other!.status === 0 && !isAlreadyDone(other!))
        this.wrong.push(`run again, it is not already done: ${typed.key}`);
    }
  }
}

/** What tells in a log how a command ended: the sentence of an error, or whether it had been done before. */
const shortened = (said: Said): string =>
  /"message":("(?:[^"\\]|\\.)*")/.exec(said.stderr)?.[1] ??
  (said.stderr.trim() || (isAlreadyDone(said) ? 'already' : 'done'));

/** The id of what a command made, or of what was made before. */
function namedIn({stdout, stderr}: Said): string | undefined {
  const found = /"id": "(\w+)"|\b((?:bstm|cus|cs|re|wh)_\w{20,})/.exec(`${stdout}\n${stderr}`);
  return found?.[1] ?? found?.[2];
}

const isAlreadyDone = ({stdout, stderr}: Said): boolean =>
  // A warning may say that it is not known whether the items are already billed.
  /"already": true/.test(stdout) || /Done before|already(?!\s+billed)/.test(stderr);

/** @param seed of the world */
export async function play(seed: number, steps: readonly Step[], log: string[] = []): Promise<Played> {
  const shop = new Shop(seed, log);
  try {
    await shop.open();
    for (const step of steps) {
      await shop.world.pass(step.after);
      if (step.does !== 'command') {
        await shop.elsewhere(step);
        continue;
      }
      const {beside} = step;
      const second = async (): Promise<void> => {
        if (!beside) return;
        await shop.world.passed(beside.after);
        await shop.perform(beside);
      };
      await shop.world.run(shop.perform(step), second());
    }
    await shop.settle();
    shop.judgeAll();
    const outcomes = new Map<string, number>();
    for (const {said} of shop.all) {
      const word = !said ? 'killed' : said.result === 'ok' && isAlreadyDone(said) ? 'already' : said.result;
      outcomes.set(word, (outcomes.get(word) ?? 0) + 1);
    }
    const {all, kills, log, wrong, world} = shop;
    return {wrong, log, kills, outcomes, commands: all.length, faults: world.met.faults};
  } finally {
    shop.close();
  }
}

/** Loads what commands load, so that the same seed gives the same history each time. */
export async function warmUp(): Promise<void> {
  for (let seed = 1; seed <= 12; seed++) await play(seed, drawHistory(seed));
}

const kindOf = (wrong: readonly string[]): string => wrong[0]?.split(':')[0] ?? '';

/** Leaves out steps and faults while the history still goes wrong in the same way. */
export async function shrink(seed: number, steps: readonly Step[]): Promise<{steps: readonly Step[]; played: Played}> {
  let best = {steps, played: await play(seed, steps)};
  const kind = kindOf(best.played.wrong);
  if (kind === '') return best;
  const attempt = async (fewer: readonly Step[]): Promise<boolean> => {
    const played = await play(seed, fewer);
    if (kindOf(played.wrong) !== kind) return false;
    best = {steps: fewer, played};
    return true;
  };
  for (let at = 0; at < best.steps.length;) if (!(await attempt(best.steps.filter((_, index) => index !== at)))) at++;
  const simpler = (step: Step): Step[] =>
    step.does === 'command'
      ? [
          ...(step.beside ? [{...step, beside: undefined}] : []),
          ...(step.faults !== 0 ? [{...step, faults: 0}] : []),
          ...(step.person ? [{...step, person: undefined}] : []),
          ...(step.allowDuplicate ? [{...step, allowDuplicate: undefined}] : []),
        ]
      : [];
  for (let at = 0; at < best.steps.length; at++)
    for (const other of simpler(best.steps[at]!)) await attempt(best.steps.with(at, other));
  return best;
}
