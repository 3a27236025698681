// Kills an everyday command at each of its requests, or loses the answer, runs it again, and says what was wrong.

import {EVERYDAY, wordsOf, type Everyday} from './everyday.js';
import {machine, type Fault, type Machine, type Ran} from './killed.js';

/** Changes whose second time is a second object, a second movement of money, or a second email. */
const ONCE = /^POST .*(?<!\/(?:enable|disable|void|mark_uncollectible|expire|cancel))$/;
const MOVES = /^POST (\/refunds|\/payment_intents\/:id\/capture|\/billing_statements\/:id\/(finalize|send))$/;

export interface Interrupted {
  readonly words: Everyday;
  readonly fault: Fault;
  /** The request. */
  readonly at: string;
  readonly isKeyed: boolean;
}

export interface Outcome {
  /** Exit status of the second run, which follows the interrupted one. */
  readonly status: number | null;
  /** What must not happen, in words. */
  readonly wrong: readonly string[];
}

type Done = (close: () => unknown) => void;

const countsOf = (applied: readonly string[], kinds: RegExp): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const kind of applied) if (kinds.test(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
};

const flagsOf = ({isKeyed}: Pick<Interrupted, 'isKeyed'>): string[] => [
  ...(isKeyed ? ['--idempotency-key', 'a-key'] : []),
  '--json',
];

const answerOf = ({stdout}: Ran): Record<string, unknown> => {
  const {already: _, done_at: __, ...answer} = JSON.parse(stdout) as Record<string, unknown>;
  return answer;
};

/** Runs a command undisturbed, twice. @returns its requests, and what was wrong the second time */
export async function undisturbed(words: Everyday, done: Done) {
  const own = await machine({done});
  const argv = [...(await wordsOf(own, words)), ...flagsOf({isKeyed: words.isKeyed === true})];
  const first = (await own.run(argv))!;
  const applied = [...own.applied];
  const second = (await own.run(argv))!;
  return {requests: first.requests, applied, first, second, again: own.applied.slice(applied.length)};
}

/** @param clean what an undisturbed run applies */
export async function interrupted(
  {words, fault, isKeyed}: Interrupted,
  clean: readonly string[],
  done: Done,
): Promise<Outcome> {
  const own: Machine = await machine({done});
  const argv = [...(await wordsOf(own, words)), ...flagsOf({isKeyed})];
  await own.run(argv, {fault});
  const before = own.applied.length;
  const second = (await own.run(argv))!;
  const changed = own.applied.slice(before);
  const wrong: string[] = [];
  const most = countsOf(clean, isKeyed ? ONCE : MOVES);
  const check = (when: string, isWhole: boolean): void => {
    const counts = countsOf(own.applied, isKeyed ? ONCE : MOVES);
    for (const [kind, count] of counts)
      if (count > (most.get(kind) ?? 0)) wrong.push(`${when}: ${kind} ${count} times`);
    if (isWhole)
      for (const [kind, count] of most)
        if ((counts.get(kind) ?? 0) < count) wrong.push(`${when}: exit 0 without ${kind}`);
  };
  check('again', isKeyed && second.status === 0);
  if (isKeyed) {
    if (second.status !== 0 && second.status !== 10)
      wrong.push(`exit ${second.status}: ${second.stderr.slice(0, 400)}`);
    if (second.status === 10 && changed.length > 0) wrong.push(`exit 10, but sent ${changed.join(', ')}`);
    const third = (await own.run(argv))!;
    check('a third time', second.status === 0);
    if (third.status !== second.status) wrong.push(`then exit ${third.status}: ${third.stderr.slice(0, 400)}`);
    else if (second.status === 0 && second.stdout.includes('"id"') && answerOf(third).id !== answerOf(second).id)
      wrong.push(`another answer: ${third.stdout}`);
  }
  return {status: second.status, wrong};
}

/** Kinds of commands whose outcome stays unknown after some faults: `refund of a payment: POST /refunds`. */
export interface Tried {
  readonly tried: number;
  readonly wrong: readonly string[];
  readonly unknown: readonly string[];
}

/** Numbers from 0 to 1, in an order that the seed fixes. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const FAULTS = [
  {is: 'kill', applied: false},
  {is: 'kill', applied: true},
  {is: 'lose', applied: true},
  {is: 'lose', applied: false},
] as const;

/** Interrupts every everyday command in every way, or this share of the ways. */
export async function interruptAll(seed: number, share = 1): Promise<Tried> {
  const random = randomFrom(seed);
  const wrong: string[] = [];
  const unknown = new Set<string>();
  let tried = 0;
  for (const words of EVERYDAY) {
    const closers: (() => unknown)[] = [];
    const done: Done = (close) => void closers.push(close);
    const clean = await undisturbed(words, done);
    if (clean.first.status !== 0) wrong.push(`${words.name}: ${clean.first.stderr}`);
    if (words.isKeyed && clean.again.length > 0) wrong.push(`${words.name}, again: ${clean.again.join(', ')}`);
    for (const [index, at] of clean.requests.entries())
      for (const fault of at.startsWith('GET ') ? FAULTS.slice(0, 1) : FAULTS)
        for (const isKeyed of words.isKeyed ? [true, false] : [false]) {
          if (random() >= share) continue;
          tried++;
          const how = {words, at, isKeyed, fault: {...fault, at: index + 1}};
          const {status, wrong: found} = await interrupted(how, clean.applied, done);
          const name = `${words.name}: ${at}`;
          if (isKeyed && status === 10) unknown.add(name);
          for (const each of found)
            wrong.push(`${name}, ${isKeyed ? 'with a key' : 'without'}, ${fault.is} ${String(fault.applied)}: ${each}`);
        }
    for (const close of closers.toReversed()) await close();
  }
  return {tried, wrong, unknown: [...unknown]};
}
