// Imports in hand-made schedules: machines with the same file, and the account afterwards.

import {existsSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import type {ApiRequest, ApiResponse} from '../../../src/api/wire.js';
import type {CentavoError} from '../../../src/common/errors.js';
import {brokenBy, type Broken} from './import-promises.js';
import {ImportMachine, isLeft, type Bill, type ImportEnd, type ImportSaid, type Wishes} from './imports.js';
import {World, type Truth, type WorldOptions} from './world.js';

/** Changes the answer to a request, or acts before it; `id` is from its path. */
type Meddle = (request: ApiRequest, handle: () => Promise<ApiResponse>, id: string) => Promise<ApiResponse>;

/** A folder in memory if the system has one: disk writes would dominate the time. */
export const memory = (): string =>
  mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'centavo-imports-'));

/** Bills of two items each, each to its own payer. @param more extra centavos for each */
export const someBills = (count: number, month = 'JUNE', more = 0): Bill[] =>
  Array.from({length: count}, (_, n) => ({
    externalId: `${month}-${n + 1}`,
    payer: {email: `payer${n}@example.com`, name: `Payer ${n}`},
    items: [
      {description: 'Rent', quantity: 1, unit_price: 5000_00 + n + more},
      {description: 'Water', quantity: 2, unit_price: 150_50},
    ],
  }));

/** A world with machines by these names; closed at the end of the test. */
export function importStage<const N extends string>(names: readonly N[], options: Partial<WorldOptions> = {}) {
  const world = new World({seed: 1, way: 20, ...options});
  const folder = memory();
  onTestFinished(() => {
    world.close();
    rmSync(folder, {recursive: true});
  });
  const machines = new Map(names.map((name) => [name, new ImportMachine(name, world, folder)]));
  const machine = (name: N): ImportMachine => machines.get(name)!;
  /** The billed statements of each row, by external id. */
  const billed = (): Record<string, readonly Truth[]> => {
    const found: Record<string, Truth[]> = {};
    for (const statement of world.truth()) {
      const id = statement.metadata?.external_id as string | undefined;
      if (id !== undefined && (statement.status === 'open' || statement.status === 'paid'))
        (found[id] ??= []).push(statement);
    }
    return found;
  };
  /** The number of emails of each row, by external id. */
  const emails = (): Record<string, number> =>
    Object.fromEntries(Object.entries(billed()).map(([id, all]) => [id, all.flatMap((each) => each.emails).length]));
  /** Changes the first request of this kind only. */
  const once = (kind: RegExp, meddle: Meddle): void => {
    let done = false;
    world.meddle = (request, handle) => {
      if (done || !kind.test(`${request.method} ${request.path}`)) return handle();
      done = true;
      return meddle(request, handle, request.path.split('/')[2]!);
    };
  };
  /** Imports, and resumes until nothing remains. */
  const toEnd = async (name: N, bills: readonly Bill[], wishes: Wishes): Promise<void> => {
    let [ended] = await world.run(machine(name).imports(bills, wishes));
    for (let more = 0; more < MOST_RESUMED && machine(name).rows().some(isLeft); more++) {
      await world.pass(500);
      [ended] = await world.run(machine(name).resumes(wishes));
    }
    if (ended.end !== 'worked' || ended.said.error !== undefined) throw new Error(JSON.stringify(ended));
  };
  /** Returns every broken promise. @param wishes of the machines */
  const broken = (wishes: Wishes, {isPerfect = true, hasPeople = false} = {}): readonly Broken[] => {
    const importers = [...machines.values()].map((each) => ({
      ...{machine: each, bills: each.bills, starts: 0, wishes, retries: false, isRash: false, isOver: true},
      pause: () => 0,
    }));
    return brokenBy({world, importers, isPerfect, hasPeople});
  };
  return {world, machine, billed, emails, broken, once, toEnd};
}

/** Fails after this number of processes. */
const MOST_RESUMED = 12;

/** The reason that a process did not start. */
export function refusalOf(end: ImportEnd): CentavoError {
  if (end.end === 'refused') return end.error;
  throw new Error(`It was not refused: ${end.end}`);
}

/** The report of a process that ended. */
export function saidBy(end: ImportEnd): ImportSaid {
  if (end.end === 'worked') return end.said;
  throw end.end === 'refused' ? end.error : new Error('It was killed.');
}
