// The conformance run: sends a handler deliveries that it must accept or refuse, and reports its responses by case.

import {Readable} from 'node:stream';
import {setTimeout as pause} from 'node:timers/promises';
import {CentavoError, usageError} from '../../common/errors.js';
import {guardedLookup, isLoopbackHost} from '../../http/addresses.js';
import {isAccepted, WebhookSender, type WebhookAttempt} from '../../http/webhook-sender.js';
import {InvalidInput} from '../../input/invalid-input.js';
import {appResponseOf} from '../forward/answers.js';
import {readTarget} from '../forward/targets.js';
import {SIGNATURE_HEADER, signatureWith} from '../signature/signature.js';
import {
  CONFORMANCE_CASES,
  CASE_NAMES,
  sampleEvent,
  type CaseRunner,
  type ConformanceCase,
  type Fault,
  type SampleOptions,
  type SentDelivery,
} from './cases.js';
import {cureOfAnswer, CURES, cureText, frameworkOf, type Cure, type Framework} from './cures.js';
import type {CountEffects} from './effect-counter.js';
import type {CaseReport, ConformanceReport} from './report.js';
import {findRootCause, type HandlerSecrets} from './root-cause.js';

export interface ConformanceOptions
  extends Pick<CaseRunner, 'now' | 'token' | 'type'>, Pick<SampleOptions, 'data' | 'mode' | 'set'>, HandlerSecrets {
  readonly url: URL;
  readonly cases: readonly ConformanceCase[];
  /** Milliseconds for the response to each delivery. */
  readonly timeout: number;
  readonly countEffects?: CountEffects;
  readonly signal?: AbortSignal;
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

/** Why a case about effects is not checked. */
export const NOT_COUNTED = 'effects not counted';
const ACTED_ON_BOTH = 'your app also acted on the earlier event: --state-command shows if the later one stays';

/** @throws CentavoError kind `unavailable` if nothing listens at the URL, `usage` if effects cannot be counted */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const {url, mode, secretName, type, cases, countEffects, timeout, signal} = options;
  const started = performance.now();
  const before = (await countEffects?.()) ?? 0;
  const poster = new WebhookSender({timeout, lookup: guardedLookup});
  const state: RunState = {poster, count: before, lag: 0, causes: new Map()};
  const reports: CaseReport[] = [];
  try {
    for (const each of cases) {
      const done = state.refusesAll ? notSent(each) : await runCase(each, options, state);
      if (signal?.aborted) throw new CentavoError('interrupted', 'the test was stopped.', {applied: 'unknown'});
      reports.push(done);
    }
  } finally {
    await poster.close();
  }
  if (countEffects && cases.length > 1 && !state.refusesAll) reports.push(await lastCount(countEffects, state, before));
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
  count: number;
  /** Milliseconds from the first response to its effect, null if it had none. */
  lag: number | null;
  /** The first case of each cause, by cure, error or text. */
  readonly causes: Map<Cure | string, string>;
  refusesAll?: boolean;
  framework?: Framework;
}

async function runCase(each: ConformanceCase, options: ConformanceOptions, state: RunState): Promise<CaseReport> {
  const {secret, mode, type, now, token, data, set, countEffects, timeout} = options;
  const [least, most] = each.effects;
  const isFirst = each.name === 'valid';
  const started = performance.now();
  const before = state.count;
  const answers: WebhookAttempt[] = [];
  const faults: Fault[] = [];
  const runner: CaseRunner = {
    type,
    now,
    token,
    event: () => sampleEvent({type, data, mode, now: now(), token: token(), set}),
    sign: (body, given) => signatureWith({body, secret, mode, timestamp: now(), ...given}),
    send: async (sending) => {
      const answer = await send(state.poster, options, sending);
      if (isFirst && answers.length === 0 && UNREACHABLE_CODES.includes(answer.code ?? ''))
        throw unreachable(options.url, answer);
      state.framework ??= frameworkOf(answer);
      answers.push(answer);
      return answer;
    },
    expectAccepted: (answer, what) => {
      if (!isAccepted(answer.status)) faults.push(faultOf(answer, what, cureOfAnswer(answer) ?? each.cure));
    },
    expectRefused: (answer, what) => {
      if (REFUSALS.includes(answer.status ?? 0)) return;
      // An app that does not verify at all accepts this, too.
      const cure = state.causes.has(CURES.verify) ? CURES.verify : each.cure;
      faults.push(faultOf(answer, what, isAccepted(answer.status) ? cure : CURES.refuse));
    },
    fail: (text, cure = each.cure) => faults.push({text, cure}),
    effects: async (expected) => {
      if (!countEffects) return actedIn(answers);
      const asked = performance.now();
      // The app does not act on an event that it has not accepted.
      const maxWait = faults.length > 0 || state.lag === null ? 0 : Math.min(timeout, MAX_EFFECT_WAIT);
      state.count = await countEffects();
      while (state.count < before + expected && performance.now() - asked < maxWait) {
        await pause(COUNT_INTERVAL);
        state.count = await countEffects();
        if (isFirst) state.lag = performance.now() - asked;
      }
      if (state.lag && faults.length === 0) {
        await pause(state.lag);
        state.count = await countEffects();
      }
      return state.count - before;
    },
  };

  await each.run(runner);
  const acted = await runner.effects(least);
  const answered = summary(answers);
  if (isFirst && acted === 0) state.lag = null;
  if (isFirst) state.refusesAll = faults.length > 0;
  const counted = acted ?? least;
  if (counted < 0) faults.push({text: `the count fell from ${before} to ${before + counted}`, cure: each.excess.cure});
  else if (counted > most)
    faults.push({text: `${each.excess.text}: ${formatEffects(counted)}`, cure: each.excess.cure});
  else if (counted < least)
    faults.push({
      text: `${formatEffects(counted)}, expected: ${formatEffects(least, most)}`,
      cure: isFirst || state.causes.has(CURES.act) ? CURES.act : CURES.actAgain,
    });

  if (faults[0]?.cure === CURES.rawBody && !state.causes.has(CURES.rawBody)) {
    const refusal = answers[0]!;
    const {status = 0} = refusal;
    const mayBeSignature = REFUSALS.includes(status) || status >= 500;
    const root = mayBeSignature ? await findRootCause(runner, options, isFirst ? status : undefined) : undefined;
    // The app may have acted on an event of the search.
    if (countEffects) state.count = await countEffects();
    if (root) faults.splice(0, faults.length, root);
    else if (isFirst) faults[0] = {...faults[0], cure: cureOfAnswer(refusal)};
  }

  const [cause] = faults;
  const key = cause?.cure ?? cause?.error ?? cause?.text ?? '';
  const earlier = state.causes.get(key);
  if (cause && earlier === undefined) state.causes.set(key, each.name);
  let reason: string | null = null;
  if (earlier !== undefined) reason = `see ${earlier}`;
  else if (!cause && each.needsCount && acted === null) reason = NOT_COUNTED;
  else if (!cause && !countEffects && acted !== null && acted > least) reason = ACTED_ON_BOTH;
  const told = reason === null ? faults : [];
  return {
    case: each.name,
    result: reason !== null ? 'not_checked' : cause ? 'failed' : 'passed',
    looked_at: acted === null ? 'status' : `status, ${countEffects ? 'state command' : ACTED_HEADER}`,
    sent: each.sent,
    expected: acted === null && !each.needsCount ? each.expected : `${each.expected}, ${formatEffects(least, most)}`,
    came: acted === null || counted < 0 ? answered : `${answered}; ${formatEffects(acted)}`,
    faults: told.map(({text}) => text),
    cure: told[0]?.cure ? cureText(told[0].cure, state.framework) : null,
    reason,
    effects: counted < 0 ? null : acted,
    duration_ms: Math.round(performance.now() - started),
  };
}

/** The fields of a case for which nothing is sent. */
const NOTHING = {faults: [], cure: null, reason: null, effects: null, duration_ms: 0} as const;

const notSent = ({name, sent, expected}: ConformanceCase): CaseReport => ({
  ...NOTHING,
  case: name,
  result: 'not_checked',
  looked_at: '',
  sent,
  expected,
  came: 'not sent',
  reason: 'see valid',
});

function faultOf(answer: WebhookAttempt, what: string, cure: Cure): Fault {
  const {status, error, excerpt, likelyCause} = appResponseOf(answer);
  // The root cause says more.
  const hint = status === 400 || status === 401 || likelyCause === undefined ? '' : `. ${likelyCause}`;
  const text = `${what}: ${status ?? error}${excerpt === undefined ? '' : ` “${excerpt}”`}${hint}`;
  return status === undefined ? {text, error} : {text, cure};
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

/** Counts once more, because an app may act after the last case has ended. @param before the count before the run */
async function lastCount(countEffects: CountEffects, {count, lag}: RunState, before: number): Promise<CaseReport> {
  await pause(Math.max(LAST_WAIT, lag ?? 0));
  const last = await countEffects();
  return {
    ...NOTHING,
    case: 'effects-in-all',
    result: last === count ? 'passed' : 'failed',
    looked_at: 'state command',
    sent: 'nothing more',
    expected: 'the count stays',
    came: last < before ? `the count is ${last}` : formatEffects(last - before),
    ...(last !== count && {
      faults: [`the count went from ${count} to ${last} after the last case`],
      cure: CURES.actTwice.advice,
    }),
    effects: last < before ? null : last - before,
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
