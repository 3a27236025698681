// The conformance run: sends a handler what it must take and what it must refuse, and tells case by case what came.

import {setTimeout as pause} from 'node:timers/promises';
import {CentavoError, usageError} from '../../errors.js';
import {isLoopbackHost} from '../../http/addresses.js';
import {CONFORMANCE_CASES, CASE_NAMES, isTaken, type Bench, type ConformanceCase} from './cases.js';
import type {CountEffects} from './effects.js';
import type {CaseReport, ConformanceReport} from './report.js';
import {sampleEvent, type SampleType} from './events.js';
import {createSender, type Answer, type Sender} from './sending.js';
import type {WebhookMode} from '../signature/signature.js';
import {parseTarget} from '../forward/targets.js';

export {CASE_NAMES} from './cases.js';
export {effectCounter, parseStateCommand} from './effects.js';
export {junitReport, type CaseReport, type ConformanceReport} from './report.js';
export {isUsableSecret} from '../signature/signature.js';

export interface ConformanceOptions {
  readonly url: URL;
  readonly secret: string;
  /** Whose place in the header the signatures take. */
  readonly mode?: WebhookMode;
  /** The kind of event that the app acts on. */
  readonly type?: SampleType;
  /** What the object of each event is to be like. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Names of cases; all when not given. */
  readonly only?: readonly string[];
  /** Milliseconds in which each delivery must be answered. */
  readonly timeout: number;
  /** Unix seconds. */
  readonly now: () => number;
  /** Letters and digits, new each time. */
  readonly token: () => string;
  /** How often the app has acted, where that can be told. */
  readonly countEffects?: CountEffects;
  readonly signal?: AbortSignal;
  readonly onCase?: (report: CaseReport) => void;
}

/** What says that a handler refused a delivery, and not that something else went wrong. */
const REFUSALS = [400, 401, 403, 422];
/** Milliseconds between two looks at the effects, while they are waited for; and the longest wait for one that comes after the answer. */
const LOOK_AGAIN = 50;
const LONGEST_WAIT = 5000;

/** The URL of a handler: as `listen --forward-to` takes it. @throws CentavoError kind `usage` or `refused` */
export function parseHandler(text: string, {allowRemote}: {allowRemote: boolean}): URL {
  const url = parseTarget(text, {allowRemote: true});
  if (allowRemote || isLoopbackHost(url.hostname)) return url;
  throw new CentavoError('refused', `${url.host} is another machine.`, {
    code: 'unsafe_url',
    why: 'A run sends forgeries, and events that look real.',
    hint: 'Add --allow-remote if the handler is yours.',
    applied: 'no',
  });
}

/** The cases with these names, in the order of the run. @throws CentavoError kind `usage` for a name that there is not */
export function chosenCases(names: readonly string[] = CASE_NAMES): readonly ConformanceCase[] {
  const unknown = names.find((name) => !CASE_NAMES.includes(name));
  if (unknown !== undefined)
    throw usageError(`there is no case ${JSON.stringify(unknown)}.`, {
      code: 'unknown_case',
      hint: `Cases: ${CASE_NAMES.join(', ')}`,
    });
  return CONFORMANCE_CASES.filter(({name}) => names.includes(name));
}

/** Runs the cases, one after the other. @throws CentavoError kind `unavailable` when nobody listens, `usage` when effects cannot be counted */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const {url, mode = 'test', type = 'billing_statement.paid', countEffects, timeout, signal, onCase} = options;
  const cases = chosenCases(options.only);
  const started = performance.now();
  const before = await countEffects?.();
  const sender = createSender({url, timeout, signal});
  const reports: CaseReport[] = [];
  try {
    let count = before ?? null;
    for (const each of cases) {
      const done = await runCase(each, options, {count, sender, mode, type});
      ({count} = done);
      const {report} = done;
      if (signal?.aborted) throw new CentavoError('interrupted', 'the run was stopped.', {applied: 'unknown'});
      reports.push(report);
      onCase?.(report);
    }
  } finally {
    await sender.close();
  }
  const after = cases.length > 1 ? await counted(countEffects, []) : null;
  if (before !== undefined && after !== null) {
    const report = totalOf(cases, after - before);
    reports.push(report);
    onCase?.(report);
  }
  const failed = reports.filter(({result}) => result === 'failed').length;
  return {
    url: url.href,
    mode,
    event: type,
    passed: reports.length - failed,
    failed,
    duration_ms: Math.round(performance.now() - started),
    cases: reports,
  };
}

interface Surroundings {
  /** The count after the case before this one: counting is what takes the time. */
  readonly count: number | null;
  readonly sender: Sender;
  readonly mode: WebhookMode;
  readonly type: SampleType;
}

async function runCase(
  {name, sent, expected, effects: [least, most], run}: ConformanceCase,
  options: ConformanceOptions,
  {count: before, sender, mode, type}: Surroundings,
): Promise<{report: CaseReport; count: number | null}> {
  const {secret, now, token, set, countEffects, timeout} = options;
  const started = performance.now();
  const answers: Answer[] = [];
  const faults: string[] = [];
  const remark = (answer: Answer, what: string): void => {
    faults.push(`${what}: ${answer.error ?? `${answer.status}${meaning(answer.status!)}`}`);
  };
  const bench: Bench = {
    signing: {secret, mode},
    type,
    now,
    token,
    event: () => sampleEvent({type, mode, now: now(), token: token(), set}),
    send: async (sending) => {
      const answer = await sender.send(sending);
      if (answer.unreachable && answers.length === 0 && name === chosenCases(options.only)[0]!.name)
        throw unreachable(options.url, answer);
      answers.push(answer);
      return answer;
    },
    mustTake: (answer, what) => {
      if (!isTaken(answer)) remark(answer, what);
    },
    mustRefuse: (answer, what) => {
      if (!REFUSALS.includes(answer.status ?? 0)) remark(answer, what);
    },
    fail: (fault) => faults.push(fault),
  };

  await run(bench);
  // What was not taken will not be acted on either.
  const patience = faults.length > 0 ? 0 : Math.min(timeout, LONGEST_WAIT);
  const after = before === null ? null : await settled(() => counted(countEffects, faults), before + least, patience);
  const acted = before === null || after === null ? null : after - before;
  if (acted !== null && (acted < least || acted > most))
    faults.push(`${actedOn(acted)}, where it is to be ${actedOn(least, most)}`);
  const report: CaseReport = {
    case: name,
    result: faults.length === 0 ? 'passed' : 'failed',
    sent,
    expected,
    came: [summary(answers), ...(acted === null ? [] : [actedOn(acted)])].join('; '),
    faults,
    effects: acted,
    duration_ms: Math.round(performance.now() - started),
  };
  return {report, count: after ?? before};
}

/** The count, or null when nobody counts, or the counting fails: that the app was not asked is then no pass. */
async function counted(count: CountEffects | undefined, faults: string[]): Promise<number | null> {
  try {
    return (await count?.()) ?? null;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    faults.push([error.message, error.details.why].filter(Boolean).join(' '));
    return null;
  }
}

/** The count, once it is as high as it must be: an app may answer first and act afterwards. @param longest milliseconds */
async function settled(count: () => Promise<number | null>, wanted: number, longest: number): Promise<number | null> {
  const deadline = performance.now() + longest;
  let found = await count();
  while (found !== null && found < wanted && performance.now() < deadline) {
    await pause(LOOK_AGAIN);
    found = await count();
  }
  return found;
}

/** What an app does after its answer shows only in the end. */
function totalOf(cases: readonly ConformanceCase[], acted: number): CaseReport {
  const least = cases.reduce((sum, {effects}) => sum + effects[0], 0);
  const most = cases.reduce((sum, {effects}) => sum + effects[1], 0);
  const right = acted >= least && acted <= most;
  return {
    case: 'effects-in-all',
    result: right ? 'passed' : 'failed',
    sent: 'all of the above',
    expected: actedOn(least, most),
    came: actedOn(acted),
    faults: right ? [] : [`${actedOn(acted)}, where it is to be ${actedOn(least, most)}`],
    effects: acted,
    duration_ms: 0,
  };
}

/** `acted on once` */
const actedOn = (least: number, most = least): string =>
  most === 0
    ? 'not acted on'
    : `acted on ${least < most ? `${least} to ${most} times` : least === 1 ? 'once' : `${least} times`}`;

/** `200 ×3, 409 ×2` */
function summary(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const {status, error} of answers) {
    const words = String(status ?? error);
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => (count === 1 ? words : `${words} ×${count}`)).join(', ');
}

/** What a status that is wrong here tends to come from. */
function meaning(status: number): string {
  if (status >= 300 && status < 400) return ' (redirects are not followed)';
  if (status === 404) return ' (no handler at this path?)';
  if (status === 405) return ' (no handler of POST?)';
  if (status === 413) return ' (the body is too large for it)';
  if (status === 419) return ' (its protection against forged forms is on)';
  return '';
}

const unreachable = (url: URL, {error}: Answer): CentavoError =>
  new CentavoError('unavailable', `${url.origin} cannot be reached: ${error}.`, {
    code: 'unreachable',
    hint: 'Start the app, and run this again.',
    retryable: true,
    applied: 'no',
  });
