// Imports drawn from a seed, on one to three machines with the same rows, each with a merchant who follows the suggestions.

import {seededRandom} from '../../../src/common/seeded-random.js';
import type {StatementRow} from '../../../src/billing/import/job/job-types.js';
import {drawn, RATES, type Rates} from './faults.js';
import {aged, drawnLag} from './hostile-service.js';
import {ImportMachine, isLeft, type Bill, type ImportEnd, type Until, type Wishes} from './imports.js';
import {World, type Around} from './world.js';

export interface Drawing {
  readonly rates?: Rates;
  /** True if processes die. */
  readonly kills?: boolean;
  readonly lags?: boolean;
  /** Maximum number of machines. */
  readonly machines?: number;
  /** Number of acts of people at the dashboard. */
  readonly people?: number;
  /** Maximum number of statements of a file. */
  readonly rows?: number;
  /** Probability that a file differs from the first one. */
  readonly differs?: number;
  /** Probability of an adoption before the end of the other run. */
  readonly rash?: number;
  /** Probabilities of a full disk and of a changed clock. */
  readonly trouble?: number;
  readonly until?: Until;
}

export interface Importer {
  readonly machine: ImportMachine;
  readonly bills: readonly Bill[];
  /** Milliseconds after the start, or after the end of the first machine. */
  readonly starts: number | 'after';
  readonly wishes: Wishes;
  /** True if it creates drafts first, for review, and then imports the file again. */
  readonly drafts?: boolean;
  readonly retries: boolean;
  readonly isRash: boolean;
  readonly pause: () => number;
  isOver: boolean;
}

export interface ImportCase {
  readonly world: World;
  readonly importers: readonly Importer[];
  /** True if nothing can go wrong. */
  readonly isPerfect: boolean;
  readonly hasPeople: boolean;
}

/** @param folder for the jobs of all machines */
export async function drawImports(seed: number, folder: string, drawing: Drawing = {}): Promise<ImportCase> {
  const {kills = true, lags = true, people = 0, rows: most = 8, differs = 0.3, rash = 0.1, trouble = 0} = drawing;
  const rates = kills ? (drawing.rates ?? RATES) : withoutKills(drawing.rates ?? RATES);
  const chance = seededRandom(10 * seed);
  const oneOf = <T>(...all: readonly T[]): T => all[Math.floor(chance() * all.length)]!;
  const world = new World({
    seed,
    faults: drawn(seededRandom(10 * seed + 1), rates, kills ? undefined : ['silence', 'reset']),
    lag: lags ? drawnLag(seededRandom(10 * seed + 2), {replicas: oneOf('each', 'each', 'one')}) : aged(0),
    people: {acts: people, within: 150_000},
  });
  const count = 1 + Math.floor(chance() * (chance() < 0.05 ? 30 : most));
  const payers: Bill['payer'][] = [];
  for (let n = 0; n < 1 + Math.floor(chance() * count); n++) {
    const who = {name: `Payer ${n}`, email: `payer${n}@example.com`};
    const kind = chance();
    const made = kind < 0.5 ? await world.call('POST', '/customers', {...who, currency: 'PHP'}) : undefined;
    payers.push(made && kind < 0.2 ? {id: made.id as string} : who);
  }
  const item = () => ({
    description: oneOf('Rent', 'Water', 'Electricity', 'Repairs'),
    quantity: 1 + Math.floor(chance() * 5),
    unit_price: 100_00 + Math.floor(chance() * 10_000),
  });
  const bill = (externalId: string): Bill => {
    const items = Array.from({length: 1 + Math.floor(chance() * 3)}, item);
    if (items.length > 1 && chance() < 0.2) items[1] = items[0]!;
    return {externalId, payer: oneOf(...payers), items, ...(chance() < 0.3 && {description: `Bill ${externalId}`})};
  };
  const bills = Array.from({length: count}, (_, n) => bill(`JUNE-${n + 1}`));
  const {until = oneOf<Until>('draft', 'open', 'sent', 'sent', 'sent', 'sent')} = drawing;
  const machines = 1 + Math.floor(chance() * (drawing.machines ?? 3));
  const importers = Array.from({length: machines}, (_, n): Importer => {
    const name = 'ABC'[n]!;
    const pauses = seededRandom(10 * seed + 6 + n);
    const machine = new ImportMachine(name, world, folder, {
      isFull: () => trouble > 0 && pauses() < 0.004 * trouble,
    });
    const isOther = n > 0 && chance() < differs;
    const others = bills.map((each) => (chance() < 0.2 ? {...each, items: [item()]} : each));
    const own: readonly Bill[] = [...others.filter(() => chance() < 0.8), bill(`${name}-1`)];
    return {
      machine,
      bills: isOther ? own : bills,
      starts:
        n === 0 ? 0 : oneOf<number | 'after'>(0, 0, chance() * 2000, chance() * 60_000, chance() * 120_000, 'after'),
      wishes: {
        until,
        concurrency: oneOf(1, 4, 4, 8),
        ...(chance() < 0.3 && {hesitates: chance() * 30_000}),
        ...(chance() < 0.1 && {allowDuplicate: true}),
      },
      drafts: until !== 'draft' && chance() < 0.15,
      retries: chance() < 0.3,
      isRash: chance() < rash,
      pause: () => (pauses() < 0.5 ? 500 : pauses() * 60_000),
      isOver: false,
    };
  });
  const hasFaults = Object.values(rates).some((part) => Object.values<number>(part).some((rate) => rate > 0));
  const isPerfect = !hasFaults && !lags && people === 0 && trouble === 0;
  return {world, importers, isPerfect, hasPeople: people > 0};
}

/** No kills and no Ctrl-C. */
function withoutKills({change, read, wait}: Rates): Rates {
  const calm = <P extends object>(part: P): P =>
    Object.fromEntries(Object.entries(part).filter(([kind]) => !/^(kill|interrupt)/.test(kind))) as P;
  return {change: calm(change), read: calm(read), wait: calm(wait)};
}

/** The merchant gives up after this number of processes. */
const MOST_ATTEMPTS = 12;
/** Milliseconds between two checks of the other machine. */
const GLANCE = 3000;
/** Milliseconds after which waiting ends. */
const LONGEST_WAIT = 3_600_000;

/** Runs all machines until each has ended. */
export async function runImports({world, importers}: ImportCase): Promise<void> {
  await world.run(...importers.map((each) => imports(each, importers, world)));
  await world.rest();
}

async function imports(own: Importer, all: readonly Importer[], world: World): Promise<void> {
  const {machine, wishes, starts, drafts, pause} = own;
  if (starts === 'after') await until(world, () => all[0]!.isOver);
  else if (starts > 0) await world.passed(starts);
  if (drafts) {
    await toEnd(own, all, world, {...wishes, until: 'draft'});
    machine.jobId = undefined;
    await world.passed(pause());
  }
  await toEnd(own, all, world, wishes);
  own.isOver = true;
}

/** One import of a file, with all its processes. */
async function toEnd(own: Importer, all: readonly Importer[], world: World, wishes: Wishes): Promise<void> {
  const {machine, bills, pause} = own;
  const others = all.filter((each) => each !== own);
  const hasEnded = async (around: Around): Promise<boolean> => {
    const began = world.now();
    while (others.some((each) => each.machine.isWorking) && world.now() - began < LONGEST_WAIT)
      await around.sleep(GLANCE, around.signal);
    return true;
  };
  let adopt = own.isRash;
  let retries = false;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const asked: Wishes = {...wishes, adopt, ...(attempt % 2 === 0 && {hasEnded})};
    const isBegun = machine.jobId !== undefined;
    const ended: ImportEnd = isBegun ? await machine.resumes({...asked, retries}) : await machine.imports(bills, asked);
    if (ended.end === 'refused') {
      const {code = ''} = ended.error;
      if (code === 'made_elsewhere') {
        await until(world, () => !others.some((each) => each.machine.isWorking));
        adopt = true;
      } else if (FINAL.has(code)) return;
    }
    if (ended.end === 'worked' && ended.said.error === undefined) {
      const rows: readonly StatementRow[] = ended.said.rows;
      // A merchant with one machine follows the row, and takes over the rest of an earlier import.
      const takesOver: boolean = others.length === 0 && rows.some((row) => row.error_code === 'made_elsewhere');
      const mayRetry: boolean = (own.retries || takesOver) && !retries && rows.some(({phase}) => phase === 'failed');
      if (!rows.some(isLeft) && !mayRetry) return;
      retries = mayRetry;
      adopt ||= takesOver;
    }
    await world.passed(pause());
  }
}

/** Refusals that a repeated command gets again. */
const FINAL = new Set([
  'duplicate_statement',
  'billed_before',
  'invalid_customer',
  'customer_name_differs',
  'invalid_file',
]);

async function until(world: World, holds: () => boolean): Promise<void> {
  const began = world.now();
  while (!holds() && world.now() - began < LONGEST_WAIT) await world.passed(GLANCE);
}
