// The cases of a conformance run: each sends deliveries, genuine or forged, and checks the responses.

import {isAccepted, type WebhookAttempt} from '../../http/webhook-sender.js';
import {signatureWith, signPayload, type Payload} from '../signature/signature.js';
import {syntheticEvent, type SyntheticEvent} from '../signature/synthetic.js';

/** Events that a handler may act on. `earlier`: the action of a preceding event of the same object. */
const EVENT_SAMPLES = {
  'billing_statement.paid': {prefix: 'bstm_', resource: 'billing_statement', status: 'paid', earlier: 'finalized'},
  'payment_intent.succeeded': {
    prefix: 'pi_',
    resource: 'payment_intent',
    status: 'succeeded',
    earlier: 'amount_capturable',
  },
} as const;

export type SampleType = keyof typeof EVENT_SAMPLES;

interface EventOptions extends Pick<SyntheticEvent, 'mode' | 'now' | 'token'> {
  readonly type: SampleType;
  readonly set?: Readonly<Record<string, unknown>>;
}

type EventDocument = Record<string, unknown> & {readonly id: string; readonly data: Record<string, unknown>};

const AMOUNT = 125_050;

export function sampleEvent({type, mode, now, token, set}: EventOptions): EventDocument {
  const {prefix, resource, status} = EVENT_SAMPLES[type];
  const data = {
    id: `${prefix}${token}`,
    resource,
    amount: AMOUNT,
    currency: 'PHP',
    description: 'Conformance run',
    livemode: mode === 'live',
    metadata: null,
    status,
    created_at: now,
    updated_at: now,
    ...set,
  };
  return syntheticEvent({type, data, mode, now, token});
}

function earlierEvent(event: EventDocument, type: SampleType, token: string): EventDocument {
  const {resource, earlier} = EVENT_SAMPLES[type];
  const before = (event.created_at as number) - 60;
  return {
    ...event,
    id: `evt_${token}`,
    type: `${resource}.${earlier}`,
    data: {...event.data, status: 'open', updated_at: before},
    created_at: before,
    updated_at: before,
  };
}

const compact = (event: object): Buffer => Buffer.from(JSON.stringify(event), 'utf8');

/** Indented, with CRLF, so that a handler fails if it verifies re-serialized JSON instead of the raw body. */
const indented = (event: object): Buffer =>
  Buffer.from(`${JSON.stringify(event, null, 2).replaceAll('\n', '\r\n')}\r\n`, 'utf8');

type Signing = Pick<Payload, 'mode' | 'secret'>;

const signedHeader = (body: Uint8Array, timestamp: number, {secret, mode}: Signing): string =>
  signPayload({body, secret, timestamp, mode});

const withSwappedModes = (header: string): string => header.replace(/te=([^,]*),li=([^,]*)/, 'te=$2,li=$1');

const withWrongDigit = (header: string): string =>
  header.replace(/[0-9a-f](?=(,li=)?$)/, (digit) => (digit === '0' ? '1' : '0'));

export interface SentDelivery {
  readonly body: Uint8Array;
  readonly header?: string;
  readonly pieces?: number;
}

export interface CaseRunner {
  readonly signing: Signing;
  readonly type: SampleType;
  readonly now: () => number;
  readonly token: () => string;
  readonly event: () => EventDocument;
  readonly send: (sending: SentDelivery) => Promise<WebhookAttempt>;
  readonly expectAccepted: (answer: WebhookAttempt, what: string) => void;
  readonly expectRefused: (answer: WebhookAttempt, what: string) => void;
  readonly fail: (fault: string) => void;
}

export interface ConformanceCase {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  readonly effects: readonly [least: number, most: number];
  readonly run: (runner: CaseRunner) => Promise<void>;
}

const ONCE = [1, 1] as const;
const NEVER = [0, 0] as const;
const COPIES = 5;
const LARGE = 900 * 1024;
const HOUR = 3600;
/** Statuses of a handler that is busy with the same event. */
const TRY_AGAIN = [409, 425, 429, 503];
const WRONG_SECRET = 'whsk_not_the_secret_of_this_webhook';

async function sendGenuine(runner: CaseRunner, body: Buffer, what: string, pieces?: number): Promise<void> {
  const header = signedHeader(body, runner.now(), runner.signing);
  runner.expectAccepted(await runner.send({body, header, pieces}), what);
}

const singleEvent = (
  name: string,
  sent: string,
  bodyOf: (event: EventDocument) => Buffer,
  effects: ConformanceCase['effects'] = ONCE,
): ConformanceCase => ({
  name,
  sent,
  expected: effects === ONCE ? '2xx, acted on once' : '2xx, not acted on',
  effects,
  run: (runner) => sendGenuine(runner, bodyOf(runner.event()), 'the event'),
});

const withData = (event: EventDocument, data: object): EventDocument => ({...event, data: {...event.data, ...data}});

export const CONFORMANCE_CASES: readonly ConformanceCase[] = [
  singleEvent('valid', 'an event, signed now', compact),
  {
    name: 'duplicate',
    sent: 'the same event three times, signed again the last time',
    expected: '2xx each time, acted on once',
    effects: ONCE,
    run: async (runner) => {
      const body = compact(runner.event());
      const header = signedHeader(body, runner.now(), runner.signing);
      runner.expectAccepted(await runner.send({body, header}), 'the first delivery');
      runner.expectAccepted(await runner.send({body, header}), 'the second delivery');
      const later = signedHeader(body, runner.now() + 1, runner.signing);
      runner.expectAccepted(await runner.send({body, header: later}), 'the delivery signed again');
    },
  },
  {
    name: 'concurrent-duplicate',
    sent: `the same event ${COPIES} times at once, and once more`,
    expected: `2xx, or ${TRY_AGAIN.join(', ')} while another request is being handled; acted on once`,
    effects: ONCE,
    run: async (runner) => {
      const body = compact(runner.event());
      const header = signedHeader(body, runner.now(), runner.signing);
      const answers = await Promise.all(Array.from({length: COPIES}, () => runner.send({body, header})));
      if (!answers.some(({status}) => isAccepted(status))) runner.fail('no delivery was accepted');
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
    run: async (runner) => {
      const event = runner.event();
      await sendGenuine(runner, compact(event), 'the later event');
      await sendGenuine(runner, compact(earlierEvent(event, runner.type, runner.token())), 'the earlier event');
    },
  },
  {
    name: 'bad-signature',
    sent: 'one wrong digit; a changed body; signed with another secret; signed with an empty secret',
    expected: '400, 401, 403 or 422 each time, not acted on',
    effects: NEVER,
    run: async (runner) => {
      const {signing, send, expectRefused} = runner;
      const body = compact(runner.event());
      const now = runner.now();
      const header = signedHeader(body, now, signing);
      expectRefused(await send({body, header: withWrongDigit(header)}), 'the delivery with a wrong digit');
      const changed = compact(withData(runner.event(), {amount: 1}));
      expectRefused(await send({body: changed, header}), 'the changed body');
      for (const [secret, what] of [
        [WRONG_SECRET, 'the delivery signed with another secret'],
        ['', 'the delivery signed with an empty secret'],
      ] as const)
        expectRefused(
          await send({body, header: signatureWith({body, secret, timestamp: now, mode: signing.mode})}),
          what,
        );
    },
  },
  {
    name: 'missing-signature',
    sent: 'no signature header; an empty header; a header without signatures',
    expected: '400, 401, 403 or 422 each time, not acted on',
    effects: NEVER,
    run: async (runner) => {
      const body = compact(runner.event());
      runner.expectRefused(await runner.send({body}), 'the delivery without the header');
      runner.expectRefused(await runner.send({body, header: ''}), 'the empty header');
      runner.expectRefused(
        await runner.send({body, header: `t=${runner.now()},te=,li=`}),
        'the header without signatures',
      );
    },
  },
  {
    name: 'stale-signature',
    sent: 'signed an hour ago; the same with a new time',
    expected: '400, 401, 403 or 422 both times, not acted on',
    effects: NEVER,
    run: async (runner) => {
      const body = compact(runner.event());
      const header = signedHeader(body, runner.now() - HOUR, runner.signing);
      runner.expectRefused(await runner.send({body, header}), 'the delivery signed an hour ago');
      const renewed = header.replace(/^t=\d+/, `t=${runner.now()}`);
      runner.expectRefused(await runner.send({body, header: renewed}), 'the delivery with a new time');
    },
  },
  {
    name: 'wrong-mode',
    sent: 'the signature in the place of the other mode',
    expected: '400, 401, 403 or 422, not acted on',
    effects: NEVER,
    run: async (runner) => {
      const body = compact(runner.event());
      const header = withSwappedModes(signedHeader(body, runner.now(), runner.signing));
      runner.expectRefused(await runner.send({body, header}), 'the delivery with the moved signature');
    },
  },
  singleEvent(
    'unknown-type',
    'an event type that does not exist yet',
    (event) => compact({...event, type: 'conformance_run.happened'}),
    NEVER,
  ),
  singleEvent('unknown-fields', 'unknown fields, in the event and in its object', (event) =>
    compact({...withData(event, {invented: {deep: [1, null, 'x']}}), invented: true, previous_attributes: null}),
  ),
  singleEvent('large', 'a body of 900 KB', (event) => compact(withData(event, {description: 'x'.repeat(LARGE)}))),
  singleEvent('non-ascii', 'Ñ, a combining tilde, 支払い, an emoji, U+2028', (event) =>
    compact(withData(event, {description: 'Bayad ni Niño, ni Nin\u0303o: 支払い 💸\u2028'})),
  ),
  singleEvent('raw-body', 'the same JSON indented, with CRLF, and signed in this form', indented),
  {
    ...singleEvent('slow', 'the body in 10 pieces, with pauses between them', compact),
    run: (runner) => sendGenuine(runner, compact(runner.event()), 'the event', 10),
  },
];

export const CASE_NAMES = CONFORMANCE_CASES.map(({name}) => name);
