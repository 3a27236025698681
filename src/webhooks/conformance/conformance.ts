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
import type {CountEffects} from './effect-counter.js';
import type {CaseReport, ConformanceReport} from './report.js';

export interface ConformanceOptions extends Pick<CaseRunner, 'now' | 'token' | 'type'> {
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
  return CONFORMANCE_CASES.filter(({name}) => names.includes(name));
}

/** @throws CentavoError kind `unavailable` if nothing listens at the URL, `usage` if effects cannot be counted */
export async function runConformance(options: ConformanceOptions): Promise<ConformanceReport> {
  const {url, mode, type, cases, countEffects, timeout, signal, onCase} = options;
  const started = performance.now();
  const before = (await countEffects?.()) ?? null;
  const poster = new WebhookSender({timeout, lookup: guardedLookup});
  const reports: CaseReport[] = [];
  const report = (each: CaseReport): void => {
    reports.push(each);
    onCase?.(each);
  };
  try {
    let count = before;
    for (const [index, each] of cases.entries()) {
      const done = await runCase(each, options, {count, poster, isFirst: index === 0});
      ({count} = done);
      if (signal?.aborted) throw new CentavoError('interrupted', 'the test was stopped.', {applied: 'unknown'});
      report(done.report);
    }
  } finally {
    await poster.close();
  }
  const after = cases.length > 1 ? await tryCountEffects(countEffects, []) : null;
  if (before !== null && after !== null) report(totalOf(cases, after - before));
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

interface Progress {
  /** The count after the previous case, reused because counting takes most of the time. */
  readonly count: number | null;
  readonly poster: WebhookSender;
  readonly isFirst: boolean;
}

async function runCase(
  {name, sent, expected, effects: [least, most], run}: ConformanceCase,
  options: ConformanceOptions,
  {count: before, poster, isFirst}: Progress,
): Promise<{report: CaseReport; count: number | null}> {
  const {secret, mode, type, now, token, set, countEffects, timeout} = options;
  const started = performance.now();
  const answers: WebhookAttempt[] = [];
  const faults: string[] = [];
  const addFault = (answer: WebhookAttempt, what: string): void => {
    const {status, error, excerpt, likelyCause} = appResponseOf(answer);
    const outcome = `${status ?? error}${excerpt === undefined ? '' : ` “${excerpt}”`}`;
    faults.push(`${what}: ${[outcome, likelyCause].filter(Boolean).join('. ')}`);
  };
  const runner: CaseRunner = {
    signing: {secret, mode},
    type,
    now,
    token,
    event: () => sampleEvent({type, mode, now: now(), token: token(), set}),
    send: async (sending) => {
      const answer = await send(poster, options, sending);
      if (isFirst && answers.length === 0 && UNREACHABLE_CODES.includes(answer.code ?? ''))
        throw unreachable(options.url, answer);
      answers.push(answer);
      return answer;
    },
    expectAccepted: (answer, what) => {
      if (!isAccepted(answer.status)) addFault(answer, what);
    },
    expectRefused: (answer, what) => {
      if (!REFUSALS.includes(answer.status ?? 0)) addFault(answer, what);
    },
    fail: (fault) => faults.push(fault),
  };

  await run(runner);
  // The app does not act on an event that it has not accepted.
  const maxWait = faults.length > 0 ? 0 : Math.min(timeout, MAX_EFFECT_WAIT);
  const after =
    before === null ? null : await waitForCount(() => tryCountEffects(countEffects, faults), before + least, maxWait);
  const effects = before === null || after === null ? null : after - before;
  if (effects !== null && (effects < least || effects > most))
    faults.push(`${formatEffects(effects)}, expected: ${formatEffects(least, most)}`);
  const report: CaseReport = {
    case: name,
    result: faults.length === 0 ? 'passed' : 'failed',
    sent,
    expected,
    came: [summary(answers), ...(effects === null ? [] : [formatEffects(effects)])].join('; '),
    faults,
    effects: effects,
    duration_ms: Math.round(performance.now() - started),
  };
  return {report, count: after ?? before};
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
async function tryCountEffects(count: CountEffects | undefined, faults: string[]): Promise<number | null> {
  try {
    return (await count?.()) ?? null;
  } catch (error) {
    if (!(error instanceof CentavoError)) throw error;
    faults.push([error.message, error.details.why].filter(Boolean).join(' '));
    return null;
  }
}

/** Waits for the expected count, because an app may act after its response. @param maxWait milliseconds */
async function waitForCount(
  count: () => Promise<number | null>,
  expected: number,
  maxWait: number,
): Promise<number | null> {
  const deadline = performance.now() + maxWait;
  let found = await count();
  while (found !== null && found < expected && performance.now() < deadline) {
    await pause(COUNT_INTERVAL);
    found = await count();
  }
  return found;
}

/** Reports the effects of all cases together, because an app may act after a case has ended. */
function totalOf(cases: readonly ConformanceCase[], acted: number): CaseReport {
  const least = cases.reduce((sum, {effects}) => sum + effects[0], 0);
  const most = cases.reduce((sum, {effects}) => sum + effects[1], 0);
  const isExpected = acted >= least && acted <= most;
  return {
    case: 'effects-in-all',
    result: isExpected ? 'passed' : 'failed',
    sent: 'all cases above',
    expected: formatEffects(least, most),
    came: formatEffects(acted),
    faults: isExpected ? [] : [`${formatEffects(acted)}, expected: ${formatEffects(least, most)}`],
    effects: acted,
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
