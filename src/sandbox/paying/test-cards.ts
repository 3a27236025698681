// The test cards and the ways in which a payment fails (field notes, section 8).

/** Codes of a failed attempt, with the words that the payer is told. */
export const FAILURES = {
  blocked: 'The card was blocked by the issuer.',
  generic_decline: 'The payment was declined by the issuer.',
  funds_insufficient: 'The account has insufficient funds.',
  cvc_incorrect: 'The security code of the card is incorrect.',
  processing_error: 'An error occurred while the payment was processed.',
  system_error: 'A system error occurred on the side of the issuer.',
} as const;

export type FailureCode = keyof typeof FAILURES;

export const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(FAILURES, code);

export interface TestCard {
  readonly number: string;
  readonly brand: 'mastercard' | 'visa';
  readonly funding: 'credit' | 'debit';
  /** Not there: the payment succeeds. */
  readonly failure?: FailureCode;
  /** What paying with it does, in a few words. */
  readonly description: string;
}

/** The card that is used when none is named. */
export const DEFAULT_CARD = '4242424242424242';

const good = (number: string, brand: TestCard['brand'], funding: TestCard['funding'], words: string): TestCard => ({
  number,
  brand,
  funding,
  description: `succeeds: ${words}`,
});

// The source does not say whether these are credit or debit; credit is assumed.
const failing = (number: string, failure: FailureCode, words: string): TestCard => ({
  number,
  brand: 'visa',
  funding: 'credit',
  failure,
  description: `fails: ${words}`,
});

export const TEST_CARDS: readonly TestCard[] = [
  good(DEFAULT_CARD, 'visa', 'credit', 'Visa credit'),
  good('4701322211111234', 'visa', 'debit', 'Visa debit'),
  good('5425233430109903', 'mastercard', 'credit', 'Mastercard credit'),
  good('5200828282828210', 'mastercard', 'debit', 'Mastercard debit'),
  good('4000000760000002', 'visa', 'credit', 'issued in the Philippines'),
  good('4311780000241409', 'visa', 'credit', '3-D Secure, frictionless'),
  failing('4000000000001000', 'blocked', 'blocked'),
  failing('4005550000000019', 'generic_decline', 'declined'),
  failing('4503300000000008', 'funds_insufficient', 'insufficient funds'),
  failing('4205260000000005', 'cvc_incorrect', 'wrong security code'),
  failing('4001270000000000', 'processing_error', 'error while processing'),
  failing('4012000033330026', 'system_error', 'error of the issuer'),
  failing('4000000000000077', 'generic_decline', '3-D Secure, frictionless, declined'),
];

/** The test card of this number; spaces and dashes in it do not matter. */
export function testCard(number: string): TestCard | undefined {
  const digits = number.replace(/[\s-]/g, '');
  return TEST_CARDS.find((card) => card.number === digits);
}
