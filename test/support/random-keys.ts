// Random keys at every question of the guided flow. It knows the flow only by its screen, its files and the sandbox.

import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {seededRandom} from '../../src/common/seeded-random.js';
import {temporaryDirectory} from './cli.js';
import type {screenInProcess} from './in-process.js';
import {Merchant} from './scenarios/merchant.js';
import {FIXED_NOW, type Screen} from './screen.js';
import {SEED} from './seed.js';
import {CTRL_C, ENTER} from './terminal.js';

const ESCAPE = '\u001B';
const [UP, DOWN, LEFT, RIGHT, HOME, END, DELETE] = ['A', 'B', 'D', 'C', 'H', 'F', '3~'].map((end) => `\u001B[${end}`);
/** Tab, backspace, Ctrl-A, E, U, W, K; and arrows and other keys. */
const EDITING = [
  '\t',
  '\u007F',
  '\u0001',
  '\u0005',
  '\u0015',
  '\u0017',
  '\u000B',
  UP!,
  DOWN!,
  LEFT!,
  RIGHT!,
  HOME!,
  END!,
  DELETE!,
];
const CUSTOMERS = [
  {name: 'Ana Reyes', email: 'ana.reyes@example.com', billing_statement_prefix: 'ANA'},
  {name: 'Ana Cruz', email: 'ana.cruz@example.com', billing_statement_prefix: 'CRUZ'},
  {name: 'Niño Ibañez', email: 'nino.ibanez@example.com', billing_statement_prefix: 'NINO'},
];
/** Words that the test recognizes wherever they come up again. */
const WORDS = /tok\d+x/g;
/** Milliseconds after which a lone Escape and a paste without marks are complete. */
const LONGEST_KEY = 60;
/** Milliseconds in which a flow must end. */
const LONGEST_END = 20_000;

export interface KeyRun {
  readonly seed: number;
  /** What was typed, and the waits, in order. A write that resizes is `80x24`. */
  readonly keys: readonly string[];
  /** Words on the screen at the end of its flows, each found again. */
  readonly found: number;
  /** The status of each statement that it made. */
  readonly made: readonly string[];
  /** What went wrong; empty if nothing did. */
  readonly faults: readonly string[];
}

interface RunOptions {
  readonly open: typeof screenInProcess;
  /** Milliseconds without output after which the screen is still. */
  readonly still: number;
  /** Writes these instead of random keys. */
  readonly replay?: readonly string[];
}

/** The question on the screen: its line and what is below. */
const questionOf = (text: string): string => {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) => line.startsWith('? '));
  return at < 0 ? '' : lines.slice(at).join('\n');
};

type Random = ReturnType<typeof seededRandom>;
const oneOf = <T>(random: Random, all: readonly T[]): T => all[Math.floor(random() * all.length)]!;

/** Draws the next write: mostly what fits the question, otherwise any keys. */
function keysFor(question: string, random: Random, word: () => string): string {
  const price = (): string =>
    oneOf(random, ['@ 500', 'x3 @ 1,250.50', '6500', '@ 20', '', '3 @ 450', '@ -100', '@ ,,5']);
  const line = (): string =>
    oneOf(random, [`${word()} ${price()}`, `2x ${word()} ${price()}`, `${word()}\t2\t310`, '', 'done']);
  const paste = (): string =>
    Array.from({length: 1 + Math.floor(random() * 20)}, line).join(oneOf(random, ['\n', '\r', '\r\n']));
  const any = (): string =>
    oneOf(random, [
      () => oneOf(random, EDITING),
      () => oneOf(random, EDITING).repeat(1 + Math.floor(random() * 4)),
      () => ENTER,
      () => ESCAPE,
      word,
      () => oneOf(random, [...'sodeclkxnt1234567890,.-@₱ñ😀 ']),
      () => `\u001B[200~${paste()}\u001B[201~`,
      paste,
      () => `${oneOf(random, ['60x24', '80x24', '120x40', '40x12'])}`,
      () => `${word()}${ENTER}${word()}`,
      () => oneOf(random, ['back', 'list', 'done', '-1', '1', 'help', '?']) + ENTER,
    ])();
  if (random() < 0.25) return any();
  const fitting: readonly [RegExp, readonly string[]][] = [
    [/^\? You have/, [`1${ENTER}`, `1${ENTER}`, `n${ENTER}`, `t${ENTER}`, DOWN! + ENTER]],
    [/^\? Customer:/, ['reyes', 'nino', ENTER, ENTER, ENTER, word(), `${ESCAPE}`]],
    [/^\? Name of/, [`${word()}${ENTER}`, ` ${ENTER}`]],
    [/^\? Email/, [`${word()}@example.com${ENTER}`, `ana.reyes@example.com${ENTER}`, ENTER]],
    [
      /^\? (Item|Line|Pasted line) \d+:/,
      [`${word()} @ 500${ENTER}`, `${word()} x2 @ 20${ENTER}`, `done${ENTER}`, `done${ENTER}`, line()],
    ],
    [/^\? Due:/, [`+7d${ENTER}`, `dec 30${ENTER}`, `jan 5 2027${ENTER}`, `nov 20 2026${ENTER}`, ENTER]],
    [/^\? Description/, [`${word()}${ENTER}`, ENTER]],
    [
      /^\? What's next/,
      ['s', 's', 'd', 'o', 'e', 'c', 'i', 'u', ENTER, `s${ENTER}`, `d${ENTER}`, `e${ENTER}`, `o${ENTER}`, DOWN!],
    ],
  ];
  const found = fitting.find(([pattern]) => pattern.test(question));
  return found ? oneOf(random, found[1]) : any();
}

/** Types random keys into one or two flows on the same machine, and checks what must hold for any keys. */
export async function runKeys(seed: number, {open, still, replay}: RunOptions): Promise<KeyRun> {
  const random = seededRandom(seed);
  const cleanUps: (() => void)[] = [];
  const directory = temporaryDirectory((clean) => cleanUps.push(clean));
  const merchant = new Merchant(directory, () => FIXED_NOW);
  const keys: string[] = [];
  const faults: string[] = [];
  const outcomes: string[] = [];
  let found = 0;
  const waiting = [...(replay ?? [])];
  let words = 0;
  const word = (): string => `tok${++words}x`;
  const list = async (path: string): Promise<Record<string, any>[]> => (await merchant.call('GET', path)).data as never;
  const statements = (): Promise<Record<string, any>[]> => list('/billing_statements?limit=100');
  const kept = (): string => {
    const folder = join(directory, 'unfinished');
    if (!existsSync(folder)) return '';
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
  };

  async function flow(): Promise<void> {
    const before = (await statements()).length;
    const desk: Screen = open(directory, ['bill'], {columns: 80, rows: 24});
    let status: number | undefined;
    void desk.ended.then((ended) => (status = ended));
    /** Choices that an Enter at the review can have confirmed. `*` is any. */
    const confirmed = new Set<string>();
    let mayKeepDraft = false;
    const settle = async (least = still): Promise<string> => {
      for (let quiet = 0, length = -1; quiet < least && status === undefined; quiet += 5) {
        await delay(5);
        if (desk.raw().length !== length) quiet = 0;
        length = desk.raw().length;
      }
      return desk.text();
    };
    await desk.until(/\? (Customer:|You have)/);
    let shown = await settle();
    const write = async (typed: string): Promise<void> => {
      const isHurried = keys.at(-1)?.startsWith('wait ');
      // The review may be drawn between the look below and the key: whether it was is known at the end.
      if (typed === ENTER && isHurried && keys.at(-2) === 'd') mayKeepDraft = true;
      keys.push(typed);
      const size = /^(\d+)x(\d+)$/.exec(typed);
      if (size) return desk.resize(Number(size[1]), Number(size[2]));
      // The screen of this moment: it may have changed since it was still, and while it was drawn.
      let question = '';
      for (let length = -1; length !== desk.raw().length;) {
        length = desk.raw().length;
        question = questionOf(await desk.text());
      }
      const enters = /[\r\n]/.exec(typed);
      if (question.startsWith("? What's next") && enters) {
        const [, marked] = /^❯ (\S)/m.exec(question) ?? [];
        // What is behind the first line break makes it a paste, which never confirms.
        if (enters.index < typed.length - 1) return desk.type(typed);
        if (enters.index > 0) confirmed.add('*');
        else if (marked) confirmed.add(marked);
      }
      desk.type(typed);
    };
    const count = replay ? Infinity : 5 + Math.floor(random() * 45);
    for (let at = 0; at < count && status === undefined; at++) {
      if (replay && waiting[0] === 'END') break;
      const typed = replay ? waiting.shift() : keysFor(questionOf(shown), random, word);
      if (typed === undefined) break;
      const pause = /^wait (\d+)$/.exec(typed);
      if (pause) {
        keys.push(typed);
        await delay(Number(pause[1]));
        continue;
      }
      await write(typed);
      // Sometimes the next key comes before the answer to this one is drawn.
      if (!replay && random() < 0.2) {
        const hurried = oneOf(random, [0, 5, 20, 40]);
        keys.push(`wait ${hurried}`);
        await delay(hurried);
      } else shown = await settle();
    }
    if (replay) waiting.shift();
    keys.push('END');
    shown = await settle(still + LONGEST_KEY);
    // The last frame only: a terminal that became narrower may keep pieces of earlier ones above it.
    const isAsked = status === undefined && questionOf(shown) !== '';
    const visible = isAsked ? shown.slice(Math.max(0, shown.lastIndexOf('New billing statement'))) : '';
    const started = Date.now();
    while (status === undefined && Date.now() - started < LONGEST_END) {
      desk.type(CTRL_C);
      await Promise.race([desk.ended, delay(500)]);
    }
    const last = await desk.text();
    if (mayKeepDraft && desk.raw().includes("? What's next")) confirmed.add('d');
    if (status === undefined) faults.push(`hangs: ${last}`);
    else if (![0, 5, 10, 12, 130].includes(status)) faults.push(`ends with ${status}: ${last}`);
    const all = await statements();
    const made = all.slice(0, all.length - before);
    if (made.length > 1) faults.push(`made ${made.length} statements`);
    if (made.length > 0 && confirmed.size === 0)
      faults.push(`made a ${String(made[0]!.status)} without a choice at the review`);
    const [first] = made;
    outcomes.push(...made.map(({status: each}) => String(each)));
    const sends = (choice: string): boolean => confirmed.has(choice) || confirmed.has('*');
    if (first?.status === 'open' && !sends('s') && !sends('o')) faults.push('finalized without s or o at the review');
    const events = (await list('/events?limit=100').catch(() => [])) as {type: string; data?: any}[];
    if (
      first &&
      !sends('s') &&
      events.some(({type, data}) => type === 'billing_statement.sent' && data?.id === first.id)
    )
      faults.push('sent without s at the review');
    const everywhere = `${kept()}\n${JSON.stringify(all)}\n${JSON.stringify(await list('/customers?limit=100'))}`;
    const seen = [...new Set(visible.match(WORDS))];
    const lost = seen.filter((each) => !everywhere.includes(each));
    found += seen.length - lost.length;
    if (lost.length > 0) faults.push(`lost ${lost.join(', ')}, which was on the screen:\n${visible}\n${kept()}`);
  }

  try {
    for (const customer of CUSTOMERS) await merchant.customer({...customer, created_at: 1});
    await flow();
    if (replay ? waiting.length > 0 : random() < 0.3) await flow();
  } catch (error) {
    faults.push(String((error as Error).stack));
  } finally {
    await merchant.close();
    for (const clean of cleanUps) clean();
  }
  return {seed, keys, found, made: outcomes, faults};
}

/** Leaves out writes, from long stretches to single ones, as long as the run still fails. */
export async function smallest(run: KeyRun, options: RunOptions): Promise<KeyRun> {
  let best = run;
  for (let size = Math.ceil(run.keys.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let at = 0; at < best.keys.length;) {
      const fewer = [...best.keys.slice(0, at), ...best.keys.slice(at + size)];
      const again = await runKeys(run.seed, {...options, replay: fewer});
      if (again.faults.length > 0) best = again;
      else at += size;
    }
  return best;
}

/**
 * Runs with the seeds from CENTAVO_SEED on.
 * @returns the seed, the fewest keys and the faults of each run that failed
 */
export async function failedRuns(
  count: number,
  {atOnce, ...options}: Omit<RunOptions, 'replay'> & {readonly atOnce: number},
): Promise<KeyRun[]> {
  const failed: KeyRun[] = [];
  const made: string[] = [];
  let found = 0;
  let next = SEED;
  const work = async (): Promise<void> => {
    while (next < SEED + count) {
      const run = await runKeys(next++, options);
      made.push(...run.made);
      found += run.found;
      if (run.faults.length === 0) continue;
      console.log(`CENTAVO_SEED=${run.seed}: ${run.faults[0]}\n${JSON.stringify(run.keys)}`);
      failed.push(run);
    }
  };
  await Promise.all(Array.from({length: atOnce}, work));
  const open = made.filter((status) => status === 'open').length;
  console.log(
    `CENTAVO_SEED=${SEED}: ${count} runs, ${open} statements opened, ${made.length - open} drafts, ${found} words found again`,
  );
  const few: KeyRun[] = [];
  for (const run of failed.slice(0, 5)) few.push(await smallest(run, options));
  // Escaped, since a report of control characters cannot be read.
  return [...few, ...failed.slice(5)].map((run) => ({...run, keys: run.keys.map((key) => JSON.stringify(key))}));
}
