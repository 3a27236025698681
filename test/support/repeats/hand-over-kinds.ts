// Every kind of change that an agent can hand over, and what holds for each.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'vitest';
import {EVERYDAY, wordsOf} from '../scenarios/everyday.js';
import type {Machine} from '../scenarios/killed.js';
import {YES, handOverStage, type Answer, type HandOverStage, type Ran, type RunOptions} from './hand-over-stage.js';

export interface Kind {
  readonly name: string;
  /** Makes the objects, and returns the words. */
  readonly words: (stage: HandOverStage) => Promise<string[]>;
  readonly options?: RunOptions;
}

const READS = /^(?:list of|statement$|link|aging|customers$|ledger|payment$|why)/;

const everyday: Kind[] = EVERYDAY.filter(({name}) => !READS.test(name)).map((each) => ({
  name: each.name,
  // Without an amount, --yes means all of it.
  words: async (stage) =>
    (await wordsOf(stage as unknown as Machine, each)).filter(
      (word) => word !== '--yes' || each.name === 'refund of the rest',
    ),
}));

export const ROWS =
  'invoice number,customer email,customer name,item,quantity,unit price,due\n' +
  'A-1,ana@example.com,Ana Reyes,Rent,1,5000,2031-12-15\n' +
  'A-2,ben@example.com,Ben Cruz,Rent,1,6000,2031-12-15\n';

export const fileOf = ({home}: HandOverStage, name = 'rent.csv', text = ROWS): string => {
  const path = join(home, name);
  writeFileSync(path, text);
  return path;
};

const IMPORT = ['billing-statements', 'import'];

/** A job of two statements that a script has billed. */
export async function billedJob(stage: HandOverStage): Promise<string> {
  const done = await stage.script([...IMPORT, fileOf(stage), '--send', '--live', '--yes', '--json']);
  expect(done.status, done.stderr).toBe(0);
  return (JSON.parse(done.stdout) as {job: string}).job;
}

export const KINDS: readonly Kind[] = [
  ...everyday,
  {name: 'import of a file', words: async (stage) => [...IMPORT, fileOf(stage), '--send']},
  {name: 'import of stdin', words: async () => [...IMPORT, '-', '--finalize'], options: {input: ROWS}},
  {name: 'import of a month', words: async (stage) => [...IMPORT, fileOf(stage), '--period', 'month', '--send']},
  {name: 'jobs void', words: async (stage) => ['jobs', 'void', await billedJob(stage)]},
  {
    name: 'several ids',
    words: async ({merchant}) => [
      ...['billing-statements', 'finalize', (await merchant.draft()).id, (await merchant.draft()).id],
    ],
  },
  {
    name: 'several ids of stdin',
    words: async () => ['billing-statements', 'void', '-'],
    options: {},
  },
  {
    name: 'several emails',
    words: async ({merchant}) => [
      ...['billing-statements', 'send', (await merchant.open()).id, (await merchant.open()).id],
    ],
  },
];

export const kindNamed = (name: string): Kind => KINDS.find((each) => each.name === name)!;

const ANSWERS = [YES, YES, YES];

export function errorOf(result: Ran, status: number, code: string): any {
  expect(result, result.screen).toMatchObject({status, stdout: ''});
  const {error} = JSON.parse(result.stderr.trimEnd().split('\n').at(-1)!);
  expect(error, error.message).toMatchObject({code});
  return error;
}

/** What the agent is told: the hand-over. */
export function handedOver(result: Ran): any {
  const {hand_over: made, needs_person: needsPerson} = errorOf(result, 12, 'needs_person');
  expect(needsPerson).toBe(true);
  expect(result.sent).toEqual([]);
  return made;
}

/** The agent asks, a person approves, and the agent asks again. */
export async function checkKind({name, words, options = {}}: Kind, done?: (close: () => unknown) => void) {
  const stage = handOverStage(done);
  const argv = await words(stage);
  const input =
    name === 'several ids of stdin'
      ? `${(await stage.merchant.open()).id}\n${(await stage.merchant.open()).id}\n`
      : options.input;
  const given = {...options, input};
  const before = [...stage.applied];
  const made = handedOver(await stage.agent(argv, given));
  expect(made).toMatchObject({
    ...{id: expect.stringMatching(/^ho_\w{12}$/), state: 'open', what: expect.any(String)},
    ...{approve: `centavo approve ${made.id}`, data_folder: stage.home, key_source: 'CENTAVO_SECRET_KEY'},
  });
  expect(handedOver(await stage.agent([...argv, '--live', '--yes'], given)).id).toBe(made.id);
  const dry = await stage.agent([...argv, '--dry-run'], given);
  expect(dry.status, dry.stderr).toBe(0);
  expect(stage.applied).toEqual(before);

  const approved = await stage.person(['approve', made.id], ANSWERS);
  expect(approved.status, approved.screen).toBe(0);
  expect(approved.screen).toContain('asked by an agent (CLAUDECODE)');
  expect(approved.screen).toMatch(/\(y\/N\)/);
  expect(approved.sent.length).toBeGreaterThan(0);
  const applied = [...stage.applied];
  expect(applied.slice(before.length)).toEqual(approved.sent);

  const told = await stage.agent(argv, given);
  expect(told.status, told.stderr).toBe(0);
  const keyed = await stage.agent([...argv, '--idempotency-key', 'another', '--dry-run'], given);
  const takesKey = !/(?:unknown|invalid)_flag/.test(keyed.stderr);
  expect(JSON.parse(told.stdout)).toMatchObject({
    already: true,
    done_at: expect.any(Number),
    hand_over: made.id,
    note: expect.stringContaining(
      takesKey
        ? 'Is another one meant? Ask with --idempotency-key and a name of your own.'
        : 'Asked again after 20 hours, it counts as another one.',
    ),
  });
  expect(told.stdout).not.toMatch(/whsk_\w{9}/);
  errorCode(await stage.person(['approve', made.id], ANSWERS), 12, 'is done');
  expect(stage.applied).toEqual(applied);
  return {stage, argv, made, approved, told};
}

export function errorCode(result: Ran, status: number, words: string): void {
  expect(result.status, result.screen).toBe(status);
  expect(result.screen.replaceAll(/\s+/g, ' ')).toContain(words);
}

/** Changes whose second time is a second object, a second movement of money, or a second email. */
const ONCE = /^POST .*(?<!\/(?:enable|disable|void|mark_uncollectible|expire|cancel))$/;

const countsOf = (applied: readonly string[]): string =>
  applied
    .filter((each) => ONCE.test(each))
    .toSorted()
    .join(', ');

function isMore(applied: string, clean: string): boolean {
  const left = clean.split(', ');
  return applied.split(', ').some((each) => {
    const at = left.indexOf(each);
    if (at >= 0) left.splice(at, 1);
    return each !== '' && at < 0;
  });
}

/**
 * Kills `centavo approve` at a step, and approves again: a person answers truly. @returns what was wrong, and the number of
 * steps of an approval that is not killed
 */
export async function approveKilled(kind: Kind, killAt: number, clean: string, done: (close: () => unknown) => void) {
  const stage = handOverStage(done);
  const argv = await kind.words(stage);
  const before = stage.applied.length;
  const applied = (): string => countsOf(stage.applied.slice(before));
  const asked = await stage.agent(argv, kind.options);
  const {id} = handedOver(asked);
  const answers: Answer[] = [
    [/was sent from[^?]*\?[^?]*\(y\/N\)/, 'n\r'],
    YES,
    [/Yes, it was made/, () => (applied() === clean ? '\u001B[B\r' : '\u001B[B\u001B[B\r')],
  ];
  const first = await stage.personKilled(['approve', id], answers, killAt);
  if (first) return {wrong: '', steps: first.steps, clean: applied()};
  const atKill = applied();
  const told = await stage.agent(argv, kind.options);
  if (told.sent.length > 0) return {wrong: `${killAt}: the agent sent ${told.sent.join(', ')}`};
  if (atKill !== '' && told.stderr.includes('Nothing was sent'))
    return {wrong: `${killAt}: a falsehood: ${told.stderr}`};
  // The calls of the killed process have ended, and reads show them.
  stage.later(120);
  const second = await stage.person(['approve', id], answers, {anyOrder: true});
  const after = applied();
  const again = await stage.agent(argv, kind.options);
  const where = `step ${killAt}, ${atKill || 'nothing'} applied`;
  const isOver = second.status === 0 || second.screen.includes(`${id} is done`);
  // The second time, what may have been sent is not sent again: exit 10, 11 or a question. What is gone is not found.
  if (!isOver && ![3, 10, 11, 12].includes(second.status!))
    return {wrong: `${where}: exit ${second.status}: ${second.screen.slice(-600)}`};
  const isLess = !isOver || again.stdout.includes('It sent nothing then');
  if (isLess ? isMore(after, clean) : after !== clean)
    return {wrong: `${where}: ${after} instead of ${clean}: ${second.screen.slice(-900)}`};
  if (isOver && (again.status !== 0 || !/"already": true/.test(again.stdout)))
    return {wrong: `${where}: then the agent: ${again.stderr}`};
  if (again.sent.length > 0) return {wrong: `${where}: then the agent sent ${again.sent.join(', ')}`};
  return {wrong: '', ended: isOver ? 'done' : `exit ${second.status}`};
}
