// The cases of a conformance run: each sends deliveries, genuine or forged, and checks the responses.
// Cases that find root causes come first.

import type {JsonObject} from '../../common/json.js';
import {isAccepted, type WebhookAttempt} from '../../http/webhook-sender.js';
import {mergeInto, syntheticEvent, type SyntheticEvent} from '../signature/synthetic.js';
import {CURES, type Cure} from './cures.js';

/** Events that a handler may act on, with the action of a preceding event of the same object. */
const EARLIER = {'billing_statement.paid': 'finalized', 'payment_intent.succeeded': 'amount_capturable'} as const;

export type SampleType = keyof typeof EARLIER;

/** `data`: the object of such an event, as it is delivered. */
export interface SampleOptions extends SyntheticEvent {
  readonly set?: JsonObject;
}

type EventDocument = JsonObject & {readonly id: string; readonly data: JsonObject};

/** Returns an event whose object has ids of its own, also inside it: an app may know a payment by its id. */
export function sampleEvent({data, set = {}, ...event}: SampleOptions): EventDocument {
  const own = JSON.parse(JSON.stringify(data).replace(/(?<=_)[A-Za-z0-9]{32}(?!\w)/g, event.token)) as JsonObject;
  const common = {description: 'Conformance run', livemode: event.mode === 'live'};
  const times = {created_at: event.now, updated_at: event.now};
  return syntheticEvent({...event, data: mergeInto({...own, ...common, ...times}, set)});
}

function earlierEvent(event: EventDocument, type: SampleType, token: string): EventDocument {
  const before = (event.created_at as number) - 60;
  return {
    ...event,
    id: `evt_${token}`,
    type: type.replace(/\w+$/, EARLIER[type]),
    data: {...event.data, status: 'open', updated_at: before},
    created_at: before,
    updated_at: before,
  };
}

export const compact = (event: object): Buffer => Buffer.from(JSON.stringify(event), 'utf8');

/** Indented, with CRLF, so that a handler fails if it verifies re-serialized JSON instead of the raw body. */
export const indented = (event: object): Buffer =>
  Buffer.from(`${JSON.stringify(event, null, 2).replaceAll('\n', '\r\n')}\r\n`, 'utf8');

export const withSwappedModes = (header: string): string => header.replace(/te=([^,]*),li=([^,]*)/, 'te=$2,li=$1');

export const withWrongDigit = (header: string): string =>
  header.replace(/[0-9a-f](?=(,li=)?$)/, (digit) => (digit === '0' ? '1' : '0'));

export interface SentDelivery {
  readonly body: Uint8Array;
  readonly header?: string;
  readonly pieces?: number;
}

export interface CaseRunner {
  readonly type: SampleType;
  readonly now: () => number;
  readonly token: () => string;
  readonly event: () => EventDocument;
  /** Returns the header of a genuine delivery, or with another secret or time: unix seconds. */
  readonly sign: (body: Uint8Array, given?: {readonly secret?: string; readonly timestamp?: number}) => string;
  readonly send: (sending: SentDelivery) => Promise<WebhookAttempt>;
  readonly expectAccepted: (answer: WebhookAttempt, what: string) => void;
  readonly expectRefused: (answer: WebhookAttempt, what: string) => void;
  /** @param cure by default the case’s own */
  readonly fail: (text: string, cure?: Cure) => void;
  /** Waits for this many effects of the case. @returns their number, null if they are not counted */
  readonly effects: (least: number) => Promise<number | null>;
}

/** A fault of the handler. Faults with the same cure or error have one cause, which is reported once. */
export interface Fault {
  readonly text: string;
  readonly cure?: Cure;
  /** The network error, if there was no response. */
  readonly error?: string;
}

export interface ConformanceCase {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  readonly effects: readonly [least: number, most: number];
  /** True if the case is about effects, so that statuses alone do not pass it. */
  readonly needsCount?: boolean;
  /** For a wrong status. */
  readonly cure: Cure;
  /** If the app acts more often than expected. */
  readonly excess: Fault;
  readonly run: (runner: CaseRunner) => Promise<void>;
}

const ONCE = [1, 1] as const;
const NEVER = [0, 0] as const;
const TWICE: Fault = {text: 'your app acts twice on one event, or late', cure: CURES.actTwice};
const COPIES = 5;
const LARGE = 900 * 1024;
const HOUR = 3600;
const WEEK = 7 * 24 * HOUR;
/** Seconds. The documented tolerance is 300. */
const OLD = 240;
const AHEAD = 30;
/** Shows how short a tolerance is. */
const YOUNG = 10;
const REFUSED = '400, 401, 403 or 422';
/** Statuses of a handler that is busy with the same event. */
const TRY_AGAIN = [409, 425, 429, 503];
const WRONG_SECRET = 'whsk_not_the_secret_of_this_webhook';

async function sendGenuine(runner: CaseRunner, body: Buffer, what: string, pieces?: number): Promise<void> {
  runner.expectAccepted(await runner.send({body, header: runner.sign(body), pieces}), what);
}

const singleEvent = (
  name: string,
  sent: string,
  cure: Cure,
  bodyOf: (event: EventDocument) => Buffer,
): ConformanceCase => ({
  name,
  sent,
  expected: '2xx',
  effects: ONCE,
  cure,
  excess: TWICE,
  run: (runner) => sendGenuine(runner, bodyOf(runner.event()), 'the event'),
});

const forged = (name: string, sent: string, cure: Cure, run: ConformanceCase['run']): ConformanceCase => ({
  name,
  sent,
  expected: sent.includes(';') ? `${REFUSED} each time` : REFUSED,
  effects: NEVER,
  cure,
  excess: {text: 'your app acts before it verifies', cure: CURES.verify},
  run,
});

export const withData = (event: EventDocument, data: object): EventDocument => ({
  ...event,
  data: {...event.data, ...data},
});

/** Sends an event of its own. @param age seconds, negative for the future */
const sendSignedAt = ({event, now, send, sign}: CaseRunner, age: number): Promise<WebhookAttempt> => {
  const body = compact(event());
  return send({body, header: sign(body, {timestamp: now() - age})});
};

export const CONFORMANCE_CASES: readonly ConformanceCase[] = [
  singleEvent('valid', 'an event, signed now', CURES.rawBody, compact),
  singleEvent('raw-body', 'JSON that is indented, with CRLF, and signed in this form', CURES.rawBody, (event) =>
    indented(withData(event, {description: 'Conformance run 1/2'})),
  ),
  forged(
    'bad-signature',
    'one wrong digit; a changed body; signed with another secret; signed with an empty secret',
    CURES.onlySecret,
    async (runner) => {
      const {send, sign} = runner;
      const body = compact(runner.event());
      const header = sign(body);
      const answers = [
        ['the delivery with a wrong digit', await send({body, header: withWrongDigit(header)})],
        ['the changed body', await send({body: compact(withData(runner.event(), {amount: 1})), header})],
        ['the delivery signed with another secret', await send({body, header: sign(body, {secret: WRONG_SECRET})})],
        ['the delivery signed with an empty secret', await send({body, header: sign(body, {secret: ''})})],
      ] as const;
      if (answers.every(([, {status}]) => isAccepted(status)))
        return runner.fail(`your app does not verify: ${answers[0][1].status} for every wrong signature`, CURES.verify);
      for (const [what, answer] of answers) runner.expectRefused(answer, what);
    },
  ),
  forged(
    'missing-signature',
    'no signature header; an empty header; a header without signatures',
    CURES.headerRequired,
    async (runner) => {
      const body = compact(runner.event());
      runner.expectRefused(await runner.send({body}), 'the delivery without the header');
      runner.expectRefused(await runner.send({body, header: ''}), 'the empty header');
      const unsigned = await runner.send({body, header: `t=${runner.now()},te=,li=`});
      runner.expectRefused(unsigned, 'the header without signatures');
    },
  ),
  forged('wrong-mode', 'the signature in the place of the other mode', CURES.mode, async (runner) => {
    const body = compact(runner.event());
    const header = withSwappedModes(runner.sign(body));
    runner.expectRefused(await runner.send({body, header}), 'the delivery with the moved signature');
  }),
  forged('stale-signature', 'signed an hour ago; the same with a new time', CURES.refuseOld, async (runner) => {
    const {send} = runner;
    const body = compact(runner.event());
    const header = runner.sign(body, {timestamp: runner.now() - HOUR});
    const stale = await send({body, header});
    const renewed = await send({body, header: header.replace(/^t=\d+/, `t=${runner.now()}`)});
    runner.expectRefused(renewed, 'the delivery with a new time');
    if (!isAccepted(stale.status)) return runner.expectRefused(stale, 'the delivery signed an hour ago');
    const age = isAccepted((await sendSignedAt(runner, WEEK)).status) ? 'a week' : 'an hour';
    runner.fail(`the tolerance is too long: ${stale.status} for a signature made ${age} ago`);
  }),
  {
    name: 'tolerance',
    sent: `signed ${OLD} s ago; signed ${AHEAD} s ahead`,
    expected: '2xx both times',
    effects: [2, 2],
    cure: CURES.tolerance,
    excess: TWICE,
    run: async (runner) => {
      const old = await sendSignedAt(runner, OLD);
      const ahead = await sendSignedAt(runner, -AHEAD);
      if (old.status === undefined) return runner.expectAccepted(old, `the delivery signed ${OLD} s ago`);
      if (!isAccepted(old.status)) {
        const young = isAccepted((await sendSignedAt(runner, YOUNG)).status) ? 'accepted' : 'refused';
        const outcome = `signed ${YOUNG} s ago is ${young}, ${OLD} s ago gets ${old.status}`;
        runner.fail(`the tolerance is too short: ${outcome}`);
      }
      if (!isAccepted(ahead.status))
        runner.fail(`no tolerance for clocks: ${ahead.status ?? ahead.error} for a signature made ${AHEAD} s ahead`);
    },
  },
  singleEvent('non-ascii', 'Ñ, a combining tilde, 支払い, an emoji, U+2028', CURES.rawBody, (event) =>
    compact(withData(event, {description: 'Bayad ni Niño, ni Nin\u0303o: 支払い 💸\u2028'})),
  ),
  {
    ...singleEvent('slow', 'the body in 10 pieces, with pauses between them', CURES.wholeBody, compact),
    run: (runner) => sendGenuine(runner, compact(runner.event()), 'the event', 10),
  },
  singleEvent('large', 'a body of 900 KB', CURES.wholeBody, (event) =>
    compact(withData(event, {description: 'x'.repeat(LARGE)})),
  ),
  {
    ...singleEvent('unknown-type', 'an event type that does not exist yet', CURES.unknownType, (event) =>
      compact({...event, type: 'conformance_run.happened'}),
    ),
    effects: NEVER,
    excess: {text: 'your app acts on any type of event', cure: CURES.unknownType},
  },
  singleEvent('unknown-fields', 'unknown fields, in the event and in its object', CURES.unknownFields, (event) =>
    compact({...withData(event, {invented: {deep: [1, null, 'x']}}), invented: true, previous_attributes: null}),
  ),
  {
    name: 'duplicate',
    sent: 'the same event three times, signed again the last time',
    expected: '2xx each time',
    effects: ONCE,
    needsCount: true,
    cure: CURES.acceptDuplicate,
    excess: {text: 'your app acts on duplicates', cure: CURES.once},
    run: async (runner) => {
      const body = compact(runner.event());
      const header = runner.sign(body);
      runner.expectAccepted(await runner.send({body, header}), 'the first delivery');
      runner.expectAccepted(await runner.send({body, header}), 'the second delivery');
      // Earlier, because a handler may refuse a time ahead of its clock.
      const again = runner.sign(body, {timestamp: runner.now() - 2});
      runner.expectAccepted(await runner.send({body, header: again}), 'the delivery signed again');
    },
  },
  {
    name: 'concurrent-duplicate',
    sent: `the same event ${COPIES} times at once, and once more`,
    expected: `2xx, or ${TRY_AGAIN.join(', ')} while another request is being handled`,
    effects: ONCE,
    needsCount: true,
    cure: CURES.acceptDuplicate,
    excess: {text: 'your app acts on simultaneous duplicates', cure: CURES.once},
    run: async (runner) => {
      const body = compact(runner.event());
      const header = runner.sign(body);
      const answers = await Promise.all(Array.from({length: COPIES}, () => runner.send({body, header})));
      for (const answer of answers)
        if (!TRY_AGAIN.includes(answer.status ?? 0)) runner.expectAccepted(answer, 'a simultaneous delivery');
      runner.expectAccepted(await runner.send({body, header}), 'the delivery sent afterwards');
    },
  },
  {
    name: 'out-of-order',
    sent: 'an event, and then an earlier event of the same object',
    expected: '2xx both times, and the effect of the first event stays',
    effects: [1, 2],
    needsCount: true,
    cure: CURES.order,
    excess: {text: 'your app acts twice on an earlier event', cure: CURES.order},
    run: async (runner) => {
      const event = runner.event();
      await sendGenuine(runner, compact(event), 'the later event');
      const before = await runner.effects(1);
      await sendGenuine(runner, compact(earlierEvent(event, runner.type, runner.token())), 'the earlier event');
      const after = await runner.effects(0);
      if (before !== null && after !== null && after < before)
        runner.fail(`the earlier event undid the later one: the count fell by ${before - after}`);
    },
  },
];

export const CASE_NAMES = CONFORMANCE_CASES.map(({name}) => name);
