// The cases of a conformance run. Each sends some deliveries and checks the answers.

import {
  compact,
  earlierEvent,
  forged,
  honest,
  indented,
  mistyped,
  moved,
  type EventDocument,
  type SampleType,
  type Signing,
} from './case-events.js';
import {isAccepted, type Exchange} from '../../http/post.js';

export interface Sending {
  readonly body: Uint8Array;
  /** The signature header; left out when not given. */
  readonly header?: string;
  /** Sends the body in so many pieces, with pauses between them. */
  readonly pieces?: number;
}

/** What a case works with. */
export interface Bench {
  readonly signing: Signing;
  readonly type: SampleType;
  /** Unix seconds. */
  readonly now: () => number;
  readonly token: () => string;
  /** A new event. */
  readonly event: () => EventDocument;
  readonly send: (sending: Sending) => Promise<Exchange>;
  /** Records a fault unless the answer accepts the delivery. @param what the delivery, in a few words */
  readonly mustTake: (answer: Exchange, what: string) => void;
  /** Records a fault unless the answer refuses the delivery. */
  readonly mustRefuse: (answer: Exchange, what: string) => void;
  readonly fail: (fault: string) => void;
}

export interface ConformanceCase {
  readonly name: string;
  readonly sent: string;
  readonly expected: string;
  /** How often the app must have acted. */
  readonly effects: readonly [least: number, most: number];
  readonly run: (bench: Bench) => Promise<void>;
}

const ONCE = [1, 1] as const;
const NEVER = [0, 0] as const;
const AT_ONCE = 5;
const LARGE = 900 * 1024;
const HOUR = 3600;
/** A handler that is busy with the same event may ask for a retry. */
const TRY_AGAIN = [409, 425, 429, 503];
const WRONG_SECRET = 'whsk_not_the_secret_of_this_webhook';

/** Sends an event with a correct signature. */
async function sendHonest(bench: Bench, body: Buffer, what: string, pieces?: number): Promise<void> {
  const header = honest(body, bench.now(), bench.signing);
  bench.mustTake(await bench.send({body, header, pieces}), what);
}

const one = (
  name: string,
  sent: string,
  bodyOf: (event: EventDocument) => Buffer,
  effects: ConformanceCase['effects'] = ONCE,
): ConformanceCase => ({
  name,
  sent,
  expected: effects === ONCE ? '2xx, acted on once' : '2xx, not acted on',
  effects,
  run: (bench) => sendHonest(bench, bodyOf(bench.event()), 'the event'),
});

const withData = (event: EventDocument, data: object): EventDocument => ({...event, data: {...event.data, ...data}});

export const CONFORMANCE_CASES: readonly ConformanceCase[] = [
  one('valid', 'an event, signed now', compact),
  {
    name: 'duplicate',
    sent: 'the same event three times, signed again the last time',
    expected: '2xx each time, acted on once',
    effects: ONCE,
    run: async (bench) => {
      const body = compact(bench.event());
      const header = honest(body, bench.now(), bench.signing);
      bench.mustTake(await bench.send({body, header}), 'the first');
      bench.mustTake(await bench.send({body, header}), 'the second');
      const later = honest(body, bench.now() + 1, bench.signing);
      bench.mustTake(await bench.send({body, header: later}), 'the one signed again');
    },
  },
  {
    name: 'concurrent-duplicate',
    sent: `the same event ${AT_ONCE} times at once, and once more`,
    expected: `2xx, or ${TRY_AGAIN.join(', ')} while another request is being handled; acted on once`,
    effects: ONCE,
    run: async (bench) => {
      const body = compact(bench.event());
      const header = honest(body, bench.now(), bench.signing);
      const answers = await Promise.all(Array.from({length: AT_ONCE}, () => bench.send({body, header})));
      if (!answers.some(({status}) => isAccepted(status))) bench.fail('none of them was accepted');
      for (const answer of answers)
        if (!TRY_AGAIN.includes(answer.status ?? 0)) bench.mustTake(answer, 'one of the simultaneous ones');
      bench.mustTake(await bench.send({body, header}), 'the one sent afterwards');
    },
  },
  {
    name: 'out-of-order',
    sent: 'an event, and then an earlier event of the same object',
    expected: '2xx both times, and the effect of the first one stays',
    effects: [1, 2],
    run: async (bench) => {
      const event = bench.event();
      await sendHonest(bench, compact(event), 'the later event');
      await sendHonest(bench, compact(earlierEvent(event, bench.type, bench.token())), 'the earlier event');
    },
  },
  {
    name: 'bad-signature',
    sent: 'one wrong digit; a changed body; signed with another secret; signed with an empty secret',
    expected: '400, 401, 403 or 422 each time, not acted on',
    effects: NEVER,
    run: async (bench) => {
      const {signing, send, mustRefuse} = bench;
      const body = compact(bench.event());
      const now = bench.now();
      const header = honest(body, now, signing);
      mustRefuse(await send({body, header: mistyped(header)}), 'the one with a wrong digit');
      const changed = compact(withData(bench.event(), {amount: 1}));
      mustRefuse(await send({body: changed, header}), 'the changed body');
      for (const [secret, what] of [
        [WRONG_SECRET, 'the one signed with another secret'],
        ['', 'the one signed with an empty secret'],
      ] as const)
        mustRefuse(await send({body, header: forged(body, now, {...signing, secret})}), what);
    },
  },
  {
    name: 'missing-signature',
    sent: 'no signature header; an empty header; a header without signatures',
    expected: '400, 401, 403 or 422 each time, not acted on',
    effects: NEVER,
    run: async (bench) => {
      const body = compact(bench.event());
      bench.mustRefuse(await bench.send({body}), 'the one without the header');
      bench.mustRefuse(await bench.send({body, header: ''}), 'the empty header');
      bench.mustRefuse(await bench.send({body, header: `t=${bench.now()},te=,li=`}), 'the header without signatures');
    },
  },
  {
    name: 'stale-signature',
    sent: 'signed an hour ago; the same with a new time',
    expected: '400, 401, 403 or 422 both times, not acted on',
    effects: NEVER,
    run: async (bench) => {
      const body = compact(bench.event());
      const header = honest(body, bench.now() - HOUR, bench.signing);
      bench.mustRefuse(await bench.send({body, header}), 'the one signed an hour ago');
      const renewed = header.replace(/^t=\d+/, `t=${bench.now()}`);
      bench.mustRefuse(await bench.send({body, header: renewed}), 'the one with a new time');
    },
  },
  {
    name: 'wrong-mode',
    sent: 'the signature in the place of the other mode',
    expected: '400, 401, 403 or 422, not acted on',
    effects: NEVER,
    run: async (bench) => {
      const body = compact(bench.event());
      const header = moved(honest(body, bench.now(), bench.signing));
      bench.mustRefuse(await bench.send({body, header}), 'the one with the moved signature');
    },
  },
  one(
    'unknown-type',
    'an event type that does not exist yet',
    (event) => compact({...event, type: 'conformance_run.happened'}),
    NEVER,
  ),
  one('unknown-fields', 'unknown fields, in the event and in its object', (event) =>
    compact({...withData(event, {invented: {deep: [1, null, 'x']}}), invented: true, previous_attributes: null}),
  ),
  one('large', 'a body of 900 KB', (event) => compact(withData(event, {description: 'x'.repeat(LARGE)}))),
  one('non-ascii', 'Ñ, a combining tilde, 支払い, an emoji, U+2028', (event) =>
    compact(withData(event, {description: 'Bayad ni Niño, ni Nin\u0303o: 支払い 💸\u2028'})),
  ),
  one('raw-body', 'the same JSON indented, with CRLF, and signed in this form', indented),
  {
    ...one('slow', 'the body in 10 pieces, with pauses between them', compact),
    run: (bench) => sendHonest(bench, compact(bench.event()), 'the event', 10),
  },
];

export const CASE_NAMES = CONFORMANCE_CASES.map(({name}) => name);
