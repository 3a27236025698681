// The official SDK accepts everything that we accept; we refuse more, each time for a named reason.

import fc from 'fast-check';
import {expect, onTestFinished, test} from 'vitest';
import {inspectSignature, type Reason} from '../../../src/webhooks/signature/signature.js';
import {bend, chanceOf, MUTATIONS, type Bent, type Genuine} from '../fixtures/mutations.js';
import {
  bytes,
  digest,
  eventText,
  liveHeader,
  NOW,
  ourAnswer,
  SECRET,
  SIGNED_AT,
  testHeader,
  theyAccept,
} from '../fixtures/signing.js';
import {runs} from '../../support/test-size.js';
import {SEED} from '../../support/seed.js';

/** A million in the soak; otherwise a few seconds' worth. */
const COUNT = Number(process.env.CENTAVO_FUZZ ?? runs(300_000));

const genuine = (live: boolean, t: number, note: string): Genuine => {
  const body = bytes(JSON.stringify({id: 'evt_A1', type: 'billing_statement.paid', note, livemode: live}));
  const hex = digest(body, t);
  return {header: live ? liveHeader(hex, t) : testHeader(hex, t), hex, body};
};
const GENUINE = [
  genuine(false, SIGNED_AT, 'Niño'),
  genuine(true, SIGNED_AT, 'rate=1.5, final'),
  genuine(false, NOW + 290, ''),
  genuine(true, NOW - 290, '\u2028'),
];

/** Reasons for which the official SDK never accepts: of these, one of ours would be a mistake. */
const SHARED: readonly Reason[] = ['missing_header', 'no_match', 'no_secret', 'no_signature', 'body_not_json'];

/** The fault of our verdict on a delivery, if any; counts the verdict. */
function problemOf({header, body}: Bent, answers: Map<string, number>): string | undefined {
  const arrived = {body, header: [header], secrets: [SECRET]};
  const ours = ourAnswer(arrived);
  const theirs = theyAccept(arrived);
  const answer = theirs ? (ours === 'accept' ? 'accepted by both' : `accepted by them only: ${ours}`) : 'refused';
  answers.set(answer, (answers.get(answer) ?? 0) + 1);
  if (ours === 'accept' && !theirs) return 'we accept it, and the official SDK does not';
  if (theirs && ours !== 'accept' && SHARED.includes(ours)) return `the official SDK accepts it, and we say ${ours}`;
  return undefined;
}

test(`${COUNT} bent deliveries (CENTAVO_SEED=${SEED})`, () => {
  const answers = new Map<string, number>();
  const used = new Map<string, number>();
  const {stackTraceLimit} = Error;
  // Collecting stacks of the official SDK's errors would take most of the time.
  Error.stackTraceLimit = 0;
  onTestFinished(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });
  const started = performance.now();
  for (let round = 0; round < COUNT; round++) {
    // Each round has its own seed, so that it can be repeated alone.
    const chance = chanceOf(SEED + round);
    const from = GENUINE[chance(GENUINE.length)]!;
    const bent = bend(from, GENUINE[chance(GENUINE.length)]!, chance);
    const fault = problemOf(bent, answers);
    for (const step of bent.steps) used.set(step, (used.get(step) ?? 0) + 1);
    if (fault)
      throw new Error(
        `${fault}: CENTAVO_SEED=${SEED + round} CENTAVO_FUZZ=1\n${JSON.stringify({...bent, body: bent.body.toString('base64')}, null, 2)}`,
      );
  }
  const seconds = (performance.now() - started) / 1000;
  const lines = [...answers].sort(([, a], [, b]) => b - a).map(([answer, count]) => `  ${count}  ${answer}`);
  console.log(
    `CENTAVO_SEED=${SEED}: ${COUNT} in ${seconds.toFixed(1)} s, ${Math.round(COUNT / seconds)} a second\n${lines.join('\n')}`,
  );
  if (COUNT < 60_000) return;
  expect([...used.keys()].sort()).toEqual(Object.keys(MUTATIONS).sort());
  // Without some of each the comparison would prove nothing.
  expect(answers.get('accepted by both')).toBeGreaterThan(COUNT / 1000);
  for (const reason of [
    'bad_timestamp',
    'malformed_header',
    'duplicate_key',
    'bad_signature_format',
    'too_old',
    'both_modes',
  ])
    expect([...answers.keys()]).toContain(`accepted by them only: ${reason}`);
});

test(`refuses any flipped bit in body, signature or time (seed ${SEED})`, () => {
  const event = eventText();
  const hex = digest(event);
  const places = {body: bytes(event), signature: Buffer.from(hex, 'hex'), time: Buffer.from(String(SIGNED_AT))};
  fc.assert(
    fc.property(fc.constantFrom('body', 'signature', 'time'), fc.nat(), (place, at) => {
      const flipped = Buffer.from(places[place]);
      const bit = at % (flipped.length * 8);
      flipped[bit >> 3]! ^= 1 << (bit & 7);
      const arrived = {
        body: place === 'body' ? flipped : places.body,
        header: [
          testHeader(
            place === 'signature' ? flipped.toString('hex') : hex,
            place === 'time' ? flipped.toString('latin1') : SIGNED_AT,
          ),
        ],
        secrets: [SECRET],
      };
      expect(ourAnswer(arrived)).not.toBe('accept');
    }),
    {seed: SEED, numRuns: runs(10_000)},
  );
});

test(`gives a verdict for any header and bytes, never genuine (seed ${SEED})`, () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({unit: 'binary', maxLength: 200}), {maxLength: 3}),
      fc.uint8Array({maxLength: 200}),
      (header, body) => {
        const arrived = {body, header, secrets: [SECRET]};
        expect(inspectSignature({...arrived, now: NOW}).genuine).toBe(false);
      },
    ),
    {seed: SEED, numRuns: runs(10_000)},
  );
});

test(`both accept any signed event (seed ${SEED})`, () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), fc.integer({min: -300, max: 300}), (json, live, away) => {
      const body = bytes(`{"id":"evt_A1","livemode":${live},"data":${json}}`);
      const t = NOW + away;
      const header = (live ? liveHeader : testHeader)(digest(body, t), t);
      const arrived = {body, header: [header], secrets: [SECRET]};
      expect([ourAnswer(arrived), theyAccept(arrived)]).toEqual(['accept', true]);
    }),
    {seed: SEED, numRuns: runs(2000)},
  );
});
