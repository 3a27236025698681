// Refuses a change that repeats an equal one of the last 20 hours, or one of unknown outcome. At a terminal, asks instead.

import {capitalized, refusedError, type CentavoError, type EarlierChange, type ErrorDetails} from '../common/errors.js';
import {wasAborted} from '../common/deadlines.js';
import {shortDay, timeOfDay} from '../common/manila.js';
import {nextText} from '../common/next-text.js';
import {withConfirmation, withWords, type PlannedChange} from './change.js';
import type {Repeats} from '../repeats/repeats.js';
import type {Entry, History} from '../history/history.js';
import type {Prompt} from '../output/prompt/prompt.js';
import type {GuardFlags} from './guard.js';

/** Seconds since the last act. Shorter than a day, so that a daily job does not repeat the change of the day before. */
export const REPEAT_WINDOW = 20 * 3600;
const OUTCOMES = [
  {name: 'I do not know', value: 'unknown'},
  {name: 'Yes, it was made', value: 'made'},
  {name: 'No, it was not made', value: 'not_made'},
] as const;

/** Equal changes named in a question. */
const MAX_NAMED = 3;

/** An equal change; one of the history has a number, and may be running. */
interface EqualChange extends EarlierChange, Partial<Entry> {}

export interface Repeat {
  readonly code: 'billed_before' | 'repeated_refund' | 'sent_before';
  /** Returns equal changes of the history. Called again in the transaction that records the change. */
  readonly look: () => readonly EqualChange[];
  /** Equal changes to refuse or name; default: those of `look`. */
  readonly found?: readonly EqualChange[];
  /** What `look` returned before `found` was read; default: what it returns now. */
  readonly seen?: readonly EqualChange[];
  /** `JEEPNEY-0002 was sent from this machine on 12 Nov at 10:03` */
  readonly words: (before: EarlierChange) => string;
  /** Returns the next step if the outcome of the earlier change is unknown. */
  readonly check: (before: EarlierChange) => Pick<ErrorDetails, 'hint' | 'next'>;
}

interface WaitPort {
  readonly io: {readonly note: (line: string) => void; readonly checkSignal: () => Promise<void>};
  readonly nowMilliseconds: () => number;
  /** Milliseconds in which an earlier call may still be applied, and reads may not show it. */
  readonly runs: () => Promise<{readonly timing: () => Promise<() => {readonly settle: number; readonly lag: number}>}>;
  readonly signal: AbortSignal;
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<unknown>;
}

/** Waits until no earlier call can be applied any more, and reads show it: from now, whatever the clocks say. */
export async function waitUntilSettled({io, nowMilliseconds, runs, signal, sleep}: WaitPort): Promise<void> {
  const {settle, lag} = (await (await runs()).timing())();
  if (settle + lag === 0) return;
  io.note(`Checking until ${timeOfDay(nowMilliseconds() + settle + lag)} whether the change was made.`);
  await wasAborted(sleep(settle + lag, signal), signal);
  await io.checkSignal();
}

interface RepeatPort extends WaitPort {
  /** The idempotency keys, if this command has one. */
  readonly keyed: () => Pick<Repeats, 'othersOf'> | undefined;
  readonly accountId: () => Promise<string>;
  readonly io: WaitPort['io'] & {readonly canConfirm: boolean};
  /** Unix seconds by the service's clock. */
  readonly serviceNow: () => Promise<number>;
  readonly prompt: Pick<Prompt, 'select'>;
  readonly history: () => Promise<Pick<History, 'decide'>>;
}

/** `on 12 Nov at 10:03` in Manila. Both are unix seconds. */
export const momentText = (at: number, now: number): string =>
  `on ${shortDay(at, now)} at ${timeOfDay(at * 1000).slice(0, 5)}`;

/** Asks a person whether a change of unknown outcome was made. */
export const askOutcome = ({prompt}: Pick<RepeatPort, 'prompt'>, question: string) =>
  prompt.select<(typeof OUTCOMES)[number]['value']>(question, OUTCOMES);

const repeatError = ({code, words, check}: Repeat, before: EqualChange): CentavoError => {
  const {at, is_certain, ids, isRunning} = before;
  if (isRunning)
    return refusedError('in_progress', 'another process makes the same change now.', {
      why: `${capitalized(words(before))}.`,
      hint: 'Run the same command again when it has ended.',
      retryable: true,
      before: {at, is_certain, ids},
    });
  return refusedError(code, `${words(before)}.`, {
    why: is_certain ? 'That is less than 20 hours ago.' : 'Its outcome is unknown.',
    ...(!is_certain && check(before)),
    override: '--allow-duplicate',
    before: {at, is_certain, ids},
  });
};

const fail = (error: CentavoError): never => {
  throw error;
};

/** Refuses repeats without asking. @param refuse called with the error of each; throws it by default */
export async function refuseRepeats(
  port: RepeatPort,
  flags: GuardFlags,
  repeat: Repeat,
  refuse: (error: CentavoError) => unknown = fail,
): Promise<void> {
  if (flags['allow-duplicate']) return;
  const isOther = await otherKeysOf(port);
  for (const before of (repeat.found ?? repeat.look()).filter((each) => !isOther(each)))
    if (!before.is_certain || (before.lastActivityAt ?? before.at) > (await port.serviceNow()) - REPEAT_WINDOW)
      refuse(repeatError(repeat, before));
}

/** Under a key, what was done under another key is another change. What may have been done is not. */
async function otherKeysOf({keyed, accountId}: RepeatPort): Promise<(before: EqualChange) => boolean> {
  const repeats = keyed();
  if (!repeats) return () => false;
  const account = await accountId();
  return ({attempt, ids}) =>
    ids
      .flatMap((id) => repeats.othersOf(account, id))
      .some(({state, plan_key: plan}) => state === 'done' && attempt?.startsWith(plan) === true);
}

/** Asks about each change of unknown outcome, and records the answer. @returns the changes that were made */
async function settled(
  port: RepeatPort,
  repeat: Repeat,
  found: readonly EqualChange[],
): Promise<readonly EqualChange[]> {
  const made: EqualChange[] = [];
  if (found.some(({change, is_certain: isCertain}) => !isCertain && change !== undefined)) {
    // Nobody can tell while the call may still be applied.
    await waitUntilSettled(port);
    // The service's clock dates the answer: this machine's may be wrong.
    await port.serviceNow();
  }
  for (const before of found) {
    const {change, is_certain: isCertain, isRunning} = before;
    if (isRunning) throw repeatError(repeat, before);
    if (isCertain || change === undefined) made.push(before);
    else {
      port.io.note(nextText(repeat.check(before))!);
      const said = await askOutcome(port, `${capitalized(repeat.words(before))}. Was it?`);
      if (said === 'unknown') throw repeatError(repeat, before);
      (await port.history()).decide(change, said === 'made');
      if (said === 'made') made.push({...before, is_certain: true});
    }
  }
  return made;
}

const identityOf = (each: EqualChange): number | string => each.change ?? JSON.stringify(each);

/** Names equal changes in the question, however old. @throws CentavoError kind `refused` if no question is asked */
export async function guardRepeats(
  port: RepeatPort,
  flags: GuardFlags,
  change: PlannedChange,
  repeat: Repeat,
): Promise<PlannedChange> {
  if (flags['allow-duplicate']) return change;
  const {words} = repeat;
  const isOther = await otherKeysOf(port);
  const isOwn = (each: EqualChange): boolean => !isOther(each);
  // All that follows takes time, in which another process may begin and end an equal change.
  const first = repeat.look();
  // A process that was at work may have made the change after the account was read, and have ended since.
  const seen = new Set((repeat.seen ?? first).filter(({isRunning}) => !isRunning).map(identityOf));
  const equal = repeat.found ?? first;
  const asks = port.io.canConfirm && !flags.yes;
  if (!asks) await refuseRepeats(port, flags, repeat);
  const found = asks ? await settled(port, repeat, equal.filter(isOwn)) : [];
  // A person who is asked anyway also sees what another key made.
  const named = asks ? [...found, ...equal.filter(isOther)].slice(0, MAX_NAMED).map(words).join('; ') : '';
  const worded = found.length > 0 ? withConfirmation : withWords;
  const lastLook = (): void => {
    const before = repeat.look().find((each) => isOwn(each) && (each.isRunning || !seen.has(identityOf(each))));
    if (before) throw repeatError(repeat, before);
  };
  return {...(named === '' ? change : worded(change, `, although ${named}`)), lastLook};
}
