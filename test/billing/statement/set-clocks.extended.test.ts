// Somebody sets this machine's clock between two commands, or during the second. Waits keep their length, and nothing is
// billed or emailed twice.

import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {IN_MEMORY} from '../../support/commands.js';
import {runCommand, type Said} from '../../support/simulation/command-process.js';
import {listed, NO_FAULTS, type Fault} from '../../support/simulation/faults.js';
import {World} from '../../support/simulation/world.js';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;
const AHEAD = [20 * SECOND, HOUR, DAY, 8 * DAY, 40 * DAY];
const JUMPS = AHEAD.flatMap((by) => [-by, by]);

class Shop {
  readonly world = new World({seed: 42});
  readonly folder = mkdtempSync(join(IN_MEMORY, 'centavo-test-'));
  /** Milliseconds by which the clock of the machine is ahead. */
  ahead = 0;
  readonly #living = new Set<number>();

  close(): void {
    this.world.close();
    rmSync(this.folder, {recursive: true, force: true});
  }

  /** Runs a command; a fault is that of its change with this number. @param sets the clock while the command runs */
  async run(argv: readonly string[], {faults = {}, sets = 0}: {faults?: Record<number, Fault>; sets?: number} = {}) {
    const {world, folder} = this;
    const began = world.now();
    if (sets !== 0) void world.passed(2 * SECOND).then(() => (this.ahead += sets));
    const ended = await world.alone(
      'A',
      (around) =>
        runCommand(world, around, {
          argv: [...argv, '--json'],
          ...{folder, living: this.#living, ahead: () => this.ahead, seed: 1, commitKills: 0, onCommitKill: () => {}},
          env: {CENTAVO_BASE_URL: 'https://service.test', CENTAVO_SECRET_KEY: world.sandbox.keys.secret},
          person: undefined,
        }),
      {faults: Object.keys(faults).length > 0 ? listed(faults) : NO_FAULTS},
    );
    const said: Said | undefined = ended.ended === 'returned' ? ended.value : undefined;
    return {said, took: world.now() - began};
  }
}

const BILL = ['billing-statements', 'create', '--customer', 'ana@example.com', '--item', 'Rent @ 1500'];
const DUE = ['--due', '2031-12-15'];
const SHEET =
  'external_id,customer_email,customer_name,item,quantity,unit_price,due\nA-1,ana@example.com,Ana,Rent,1,1500,2031-12-15\n';

const bill = (...end: readonly string[]) => [...BILL, ...DUE, ...end];
const goesOn = (...end: readonly string[]) => bill(...end).map((word) => (word === '--customer' ? '--continue' : word));
const IMPORT = ['billing-statements', 'import', 'SHEET', '--send'];

interface Verb {
  readonly first: readonly string[];
  /** The change of the first command that kills it. */
  readonly kill?: number;
  readonly then: readonly string[];
  /** E-mails in all; statuses of the second command. */
  readonly emails: number;
  readonly status: number;
}

/** `ID` is the statement, `JOB` the import. */
const VERBS: Readonly<Record<string, Verb>> = {
  'a bill killed at finalize': {first: bill('--send'), kill: 3, then: bill('--send'), emails: 0, status: 12},
  'bill --continue': {first: bill('--send'), kill: 3, then: goesOn('--send'), emails: 1, status: 0},
  'bill --continue of an open one': {first: bill('--finalize'), then: goesOn('--finalize'), emails: 0, status: 0},
  reissue: {
    first: bill('--send'),
    then: ['billing-statements', 'reissue', 'ID', '--due', '2031-12-20', '--send'],
    ...{emails: 2, status: 0},
  },
  send: {first: bill('--send'), then: ['billing-statements', 'send', 'ID'], emails: 1, status: 12},
  remind: {first: bill('--send'), then: ['billing-statements', 'remind', 'ID'], emails: 1, status: 0},
  'the same bill': {first: bill('--send'), then: bill('--send'), emails: 1, status: 12},
  'jobs resume': {first: IMPORT, kill: 3, then: ['jobs', 'resume', 'JOB'], emails: 1, status: 0},
  'the same import': {first: IMPORT, kill: 3, then: IMPORT, emails: 1, status: 0},
};

/** A takeover and a read of everything; nothing that a clock could add. */
const LONGEST = 150 * SECOND;

describe.each(Object.entries(VERBS))('%s', (_, {first, kill, then, emails, status}) => {
  test.each([
    ...JUMPS.map((jump) => [`the clock is set by ${jump / SECOND} s before it`, {before: jump, during: 0}] as const),
    ...JUMPS.map(
      (jump) => [`the clock is set by ${jump / SECOND} s while it runs`, {before: 0, during: jump}] as const,
    ),
    ...JUMPS.map(
      (jump) => [`a clock wrong by ${jump / SECOND} s is put right`, {before: 0, during: 0, wrong: jump}] as const,
    ),
  ])('%s', async (_when, {before, during, wrong = 0}: {before: number; during: number; wrong?: number}) => {
    const shop = new Shop();
    const {world} = shop;
    onTestFinished(() => shop.close());
    await world.call('POST', '/customers', {name: 'Ana', email: 'ana@example.com', currency: 'PHP'});
    const sheet = join(shop.folder, 'june.csv');
    writeFileSync(sheet, SHEET);
    const filled = (words: readonly string[], id = '', job = '') =>
      words.map((word) => ({SHEET: sheet, ID: id, JOB: job})[word] ?? word);
    shop.ahead = wrong;
    await shop.run(filled(first), kill === undefined ? {} : {faults: {[kill]: 'kill-before'}});
    shop.ahead = before;
    const {id} = world.truth()[0]!;
    const jobs = then.includes('JOB') ? JSON.parse((await shop.run(['jobs', 'list'])).said!.stdout).data : [];
    const words = filled(then, id, jobs[0]?.id).map((word, n, all) => (all[n - 1] === '--continue' ? id : word));
    const {said, took} = await shop.run(words, {sets: during});
    expect(said?.status, said?.stderr).toBe(status);
    expect(took).toBeLessThan(LONGEST);
    const all = world.truth();
    expect(all.flatMap((each) => each.emails)).toHaveLength(emails);
    expect(all.filter((each) => each.status === 'open').length).toBeLessThanOrEqual(1);
    expect(all.length - Number(then.includes('reissue'))).toBe(1);
  });
});
