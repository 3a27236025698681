// The conformance run: sends a handler deliveries that it must accept or refuse, and reports its responses by case.

import {Readable} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import {CentavoError, usageError} from '../../common/errors.js';
import {guardedLookup, isLoopbackHost} from '../../http/addresses.js';
import {isAccepted, WebhookSender, type WebhookAttempt} from '../../http/webhook-sender.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {appResponseOf} from '../forward/answers.js';
import {readTarget} from '../forward/targets.js';
import {SIGNATURE_HEADER, type WebhookMode} from '../signature/signature.js';
import {
  CONFORMANCE_CASES,
  CASE_NAMES,
  sampleEvent,
  type CaseRunner,
  type ConformanceCase,
  type SentDelivery,
} from './cases.js';
import {cureOfAnswer, CURES, cureText, frameworkOf, mayBeSignature, type Cure, type Framework} from './cures.js';
import type {CountEffects} from './effect-counter.js';
import type {CaseReport, ConformanceReport} from './report.js';
import {findRootCause, type RootCause, type RootCauseOptions} from './root-cause.js';

export interface ConformanceOptions
  extends Pick<CaseRunner, 'now' | 'token' | 'type'>, Pick<RootCauseOptions, 'otherSecrets' | 'secretName'> {
  readonly url: URL;
  readonly secret: string;
  readonly mode: WebhookMode;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly cases: readonly ConformanceCase[];
  /** Milliseconds for the response to each delivery. */
  readonly timeout: number;
  readonly countEffects?: CountEffects;
  readonly signal?: AbortSignal;
  readonly onCase?: (report: CaseReport) => void;
}

/** Statuses of a refusal. Any other status means that something else went wrong. */
const REFUSALS = [400, 401, 403, 422];
/** Milliseconds between two counts of effects, and of the longest wait for an effect after the response. */
const COUNT_INTERVAL = 50;
const MAX_EFFECT_WAIT = 5000;
/** Milliseconds to wait for late effects of the last case. */
const LAST_WAIT = 250;
/** Response header of a handler that says whether it acted: 1 or 0. */
const ACTED_HEADER = 'x-acted';
/** Milliseconds between the pieces of a body. */
const PIECE_DELAY = 10;
const UNREACHABLE_CODES = ['EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND'];

/** Accepts the forms of `listen --forward-to`. Another machine needs `allowRemote`. */
export function readHandler(text: string, {allowRemote}: {allowRemote: boolean}): InvalidInput | URL {
  const url = readTarget(text, {allowRemote: true});
  if (url instanceof InvalidInput || allowRemote || isLoopbackHost(url.hostname)) return url;
  return new InvalidInput(`${url.host} is another machine.`, {
    isUnsafe: true,
    code: 'unsafe_url',
    why: 'The test sends forged events, and events that look real.',
    override: '--allow-remote',
  });
}

export function chosenCases(names: readonly string[] = CASE_NAMES): readonly ConformanceCase[] {
  const unknown = names.find((name) => !CASE_NAMES.includes(name));
  if (unknown !== undefined)
    throw usageError('unknown_case', `unknown case ${JSON.stringify(unknown)}.`, {
      hint: `Cases: ${CASE_NAMES.join(', ')}`,
    });
  // Refusals mean nothing if genuine events are refused too.
  return CONFORMANCE_CASES.filter(({name}) => name === 'valid' || names.includes(name));
}

/** @throws CentavoError kind `unavailable` if nothing listens at the URL, `usage` if effects cannot be counted */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const {url, mode, secretName, type, cases, countEffects, timeout, signal, onCase} = options;
  const started = performance.now();
  const before = (await countEffects?.()) ?? null;
  const poster = new WebhookSender({timeout, lookup: guardedLookup});
  const state: RunState = {poster, count: before, lag: 0, acts: true, causes: new Map()};
  const reports: CaseReport[] = [];
  const report = (each: CaseReport): void => {
    reports.push(each);
    onCase?.(each);
  };
  try {
    for (const each of cases) {
      const done = state.refusesAll ? notSent(each) : await runCase(each, options, state);
      if (signal?.aborted) throw new CentavoError('interrupted', 'the test was stopped.', {applied: 'unknown'});
      report(done);
    }
  } finally {
    await poster.close();
  }
  if (before !== null && cases.length > 1 && !state.refusesAll) report(await lastCount(options, state, before));
  const countOf = (result: CaseReport['result']): number => reports.filter((each) => each.result === result).length;
  return {
    url: url.href,
    mode,
    signed_with: secretName,
    event: type,
    passed: countOf('passed'),
    failed: countOf('failed'),
    not_checked: countOf('not_checked'),
    duration_ms: Math.round(performance.now() - started),
    cases: reports,
  };
}

interface RunState {
  readonly poster: WebhookSender;
  /** The count after the previous case, reused because counting takes most of the time. */
  count: number | null;
  /** Milliseconds from the first response to its effect. */
  lag: number;
  /** False if the app did not act on the first event. */
  acts: boolean;
  /** The first case of each cause, by cure or text. */
  readonly causes: Map<unknown, string>;
  refusesAll?: boolean;
  /** The cure of a handler that accepts every wrong signature. */
  forgedCure?: Cure;
  framework?: Framework;
  root?: Promise<RootCause | undefined>;
}

interface Fault {
  readonly text: string;
  readonly cure?: Cure;
  readonly answer?: WebhookAttempt;
}

async function runCase(each: ConformanceCase, options: ConformanceOptions, state: RunState): Promise<CaseReport> {
  const {secret, mode, type, now, token, set, countEffects, timeout} = options;
  const [least, most] = each.effects;
  const isFirst = each.name === 'valid';
  const started = performance.now();
  // After a failed count, counting starts again.
  state.count ??= await tryCountEffects(countEffects, []);
  const before = state.count;
  const answers: WebhookAttempt[] = [];
  const faults: Fault[] = [];
  let open: string | undefined;
  let isRefused = false;
  const sendOne = async (sending: SentDelivery): Promise<WebhookAttempt> => {
    const answer = await send(state.poster, options, sending);
    state.framework ??= frameworkOf(answer);
    return answer;
  };
  const effects = async (expected: number): Promise<number | null> => {
    if (!countEffects) return actedIn(answers);
    if (before === null) return null;
    const asked = performance.now();
    // The app does not act on an event that it has not accepted.
    const maxWait = faults.length > 0 || !state.acts ? 0 : Math.min(timeout, MAX_EFFECT_WAIT);
    const count = (): Promise<number | null> => tryCountEffects(countEffects, faults);
    const {found, waited} = await waitForCount(count, before + expected, maxWait);
    if (isFirst && waited) state.lag = performance.now() - asked;
    state.count = found;
    if (state.lag === 0 || faults.length > 0) return found === null ? null : found - before;
    await pause(state.lag);
    state.count = await count();
    return state.count === null ? null : state.count - before;
  };
  const runner: CaseRunner = {
    signing: {secret, mode},
    type,
    now,
    token,
    event: () => sampleEvent({type, mode, now: now(), token: token(), set}),
    send: async (sending) => {
      const answer = await sendOne(sending);
      if (isFirst && answers.length === 0 && UNREACHABLE_CODES.includes(answer.code ?? ''))
        throw unreachable(options.url, answer);
      answers.push(answer);
      return answer;
    },
    expectAccepted: (answer, what) => {
      const {status} = answer;
      if (isAccepted(status)) return;
      isRefused = true;
      const isUnclear = each.cure === CURES.rawBody && !mayBeSignature(status);
      faults.push({
        text: faultOf(answer, what),
        cure: cureOfAnswer(answer) ?? (isUnclear ? undefined : each.cure),
        answer,
      });
    },
    expectRefused: (answer, what) => {
      if (REFUSALS.includes(answer.status ?? 0)) return;
      const cure = isAccepted(answer.status) ? (state.forgedCure ?? each.cure) : CURES.refuse;
      faults.push({text: faultOf(answer, what), cure, answer});
    },
    fail: (text, cure = each.cure) => faults.push({text, cure}),
    effects,
    countsAnswers: countEffects === undefined,
    leaveOpen: (reason) => (open = reason),
  };

  await each.run(runner);
  const acted = await effects(least);
  if (isFirst && acted === 0) state.acts = false;
  if (acted !== null && acted < 0)
    faults.push({text: `the count fell from ${before} to ${before! + acted}`, cure: each.excessCure});
  else if (acted !== null && acted > most && faults.length === 0)
    faults.push({text: `${each.excess}: ${formatEffects(acted)}`, cure: each.excessCure});
  else if (acted !== null && (acted < least || acted > most))
    faults.push({text: `${formatEffects(acted)}, expected: ${formatEffects(least, most)}`, cure: CURES.act});
  if (isFirst) state.refusesAll = isRefused;
  const cause = await causeOf(faults, {each, acted, isRefused, runner: {...runner, send: sendOne}, options, state});
  const {faults: told, cure, reason} = cause ?? {faults: [], cure: null, reason: reasonFor(each, acted, open)};
  return {
    case: each.name,
    result: told.length > 0 ? 'failed' : reason === null ? 'passed' : 'not_checked',
    looked_at: acted === null ? 'status' : `status, ${countEffects ? 'state command' : ACTED_HEADER}`,
    sent: each.sent,
    expected: acted === null && !each.needsCount ? each.expected : `${each.expected}, ${formatEffects(least, most)}`,
    came: [summary(answers), ...(acted === null || acted < 0 ? [] : [formatEffects(acted)])].join('; '),
    faults: told,
    cure,
    reason,
    effects: acted !== null && acted < 0 ? null : acted,
    duration_ms: Math.round(performance.now() - started),
  };
}

const reasonFor = ({needsCount}: ConformanceCase, acted: number | null, open: string | undefined): string | null =>
  open ?? (needsCount && acted === null ? NOT_COUNTED : null);

/** Why a case about effects is not checked. */
export const NOT_COUNTED = 'effects not counted';

interface CauseContext {
  readonly each: ConformanceCase;
  readonly acted: number | null;
  readonly isRefused: boolean;
  readonly runner: CaseRunner;
  readonly options: ConformanceOptions;
  readonly state: RunState;
}

/** Reports a cause with its first case. Later cases with the same cause are not checked. Undefined without a fault. */
async function causeOf(
  faults: readonly Fault[],
  {each, acted, isRefused, runner, options, state}: CauseContext,
): Promise<Pick<CaseReport, 'cure' | 'faults' | 'reason'> | undefined> {
  const [first] = faults;
  if (first === undefined) return undefined;
  let {cure} = first;
  let texts = faults.map(({text}) => text);
  if (isRefused && cure === CURES.rawBody) {
    const {otherSecrets, secretName, countEffects} = options;
    const refusesAll = state.refusesAll === true;
    const {status} = first.answer ?? {};
    state.root ??= findRootCause({...runner, refusesAll, status, otherSecrets, secretName});
    const root = await state.root;
    // The app may have acted on an event of the search.
    state.count = await tryCountEffects(countEffects, []);
    if (root === undefined && state.refusesAll) cure = first.answer && cureOfAnswer(first.answer);
    if (root) {
      ({cure} = root);
      texts = [root.text];
      state.framework ??= root.framework;
    }
  }
  if (each.name === 'bad-signature' && cure === CURES.verify) {
    // Only the status is wrong if the app did not act.
    if (acted === 0) cure = CURES.refuse;
    state.forgedCure = cure;
  }
  const key = cure ?? first.answer?.error ?? first.text;
  const earlier = state.causes.get(key);
  if (earlier !== undefined) return {faults: [], cure: null, reason: `see ${earlier}`};
  state.causes.set(key, each.name);
  return {faults: texts, cure: cure === undefined ? null : cureText(cure, state.framework), reason: null};
}

function notSent({name, sent, expected}: ConformanceCase): CaseReport {
  const nothing = {faults: [], cure: null, effects: null, duration_ms: 0};
  return {
    case: name,
    result: 'not_checked',
    looked_at: '',
    sent,
    expected,
    came: 'not sent',
    reason: 'see valid',
    ...nothing,
  };
}

function faultOf(answer: WebhookAttempt, what: string): string {
  const {status, error, excerpt, likelyCause} = appResponseOf(answer);
  const outcome = `${status ?? error}${excerpt === undefined ? '' : ` “${excerpt}”`}`;
  // The root cause says more.
  return `${what}: ${[outcome, status === 400 || status === 401 ? undefined : likelyCause].filter(Boolean).join('. ')}`;
}

/** Effects by the header of each answer; null if an accepted delivery has none. */
function actedIn(answers: readonly WebhookAttempt[]): number | null {
  const marked = answers.filter(({headers}) => /^[01]$/.test(String(headers?.[ACTED_HEADER])));
  if (marked.length === 0 || answers.some((answer) => isAccepted(answer.status) && !marked.includes(answer)))
    return null;
  return marked.filter(({headers}) => headers![ACTED_HEADER] === '1').length;
}

const send = (
  poster: WebhookSender,
  {url, timeout, signal}: ConformanceOptions,
  {body, header, pieces = 1}: SentDelivery,
): Promise<WebhookAttempt> =>
  poster.post({
    url,
    headers: {
      'content-type': 'application/json',
      'content-length': String(body.byteLength),
      'user-agent': 'centavo webhooks test',
      ...(header !== undefined && {[SIGNATURE_HEADER]: header}),
    },
    body: pieces === 1 ? body : Readable.from(inPieces(body, pieces)),
    // The handler's time starts once the whole body has arrived.
    timeout: timeout + (pieces - 1) * PIECE_DELAY,
    signal,
  });

async function* inPieces(body: Uint8Array, count: number): AsyncGenerator<Buffer> {
  const size = Math.ceil(body.byteLength / count);
  for (let from = 0; from < body.byteLength; from += size) {
    if (from > 0) await pause(PIECE_DELAY);
    yield Buffer.from(body.subarray(from, from + size));
  }
}

/** Resolves with null without a counter, and after a failed count, which becomes a new fault. */
async function tryCountEffects(count: CountEffects | undefined, faults: Fault[]): Promise<number | null> {
  try {
    return (await count?.()) ?? null;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    faults.push({text: [error.message, error.details.why].filter(Boolean).join(' ')});
    return null;
  }
}

/** Waits for the expected count, because an app may act after its response. @param maxWait milliseconds */
async function waitForCount(
  count: () => Promise<number | null>,
  expected: number,
  maxWait: number,
): Promise<{found: number | null; waited: boolean}> {
  const deadline = performance.now() + maxWait;
  let found = await count();
  let waited = false;
  while (found !== null && found < expected && performance.now() < deadline) {
    await pause(COUNT_INTERVAL);
    waited = true;
    found = await count();
  }
  return {found, waited};
}

/** Counts once more, because an app may act after the last case has ended. @param before the count before the run */
async function lastCount(
  {countEffects}: ConformanceOptions,
  {count, lag}: RunState,
  before: number,
): Promise<CaseReport> {
  await pause(Math.max(LAST_WAIT, lag));
  const faults: Fault[] = [];
  const last = await tryCountEffects(countEffects, faults);
  if (last !== null && count !== null && last !== count)
    faults.push({text: `the count went from ${count} to ${last} after the last case`, cure: CURES.actTwice});
  const isCounted = last !== null && last >= before;
  return {
    case: 'effects-in-all',
    result: faults.length === 0 ? 'passed' : 'failed',
    looked_at: 'state command',
    sent: 'nothing more',
    expected: 'the count stays',
    came: isCounted ? formatEffects(last - before) : `the count is ${last}`,
    faults: faults.map(({text}) => text),
    cure: faults[0]?.cure?.advice ?? null,
    reason: null,
    effects: isCounted ? last - before : null,
    duration_ms: 0,
  };
}

const formatEffects = (least: number, most = least): string =>
  most === 0
    ? 'not acted on'
    : `acted on ${least < most ? `${least} to ${most} times` : least === 1 ? 'once' : `${least} times`}`;

/** For example, `200 ×3, 409 ×2`. */
function summary(answers: readonly WebhookAttempt[]): string {
  const counts = new Map<string, number>();
  for (const {status, error} of answers) {
    const text = String(status ?? error);
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => (count === 1 ? words : `${words} ×${count}`)).join(', ');
}

const unreachable = (url: URL, {error}: WebhookAttempt): CentavoError =>
  new CentavoError('unavailable', `${url.origin} cannot be reached: ${error}.`, {
    code: 'unreachable',
    hint: 'Start your app, then try again.',
    retryable: true,
    applied: 'no',
  });
