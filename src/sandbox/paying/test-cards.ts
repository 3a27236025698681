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

// Where the source does not tell credit from debit, credit is assumed.
export const TEST_CARDS: readonly TestCard[] = [
  {number: DEFAULT_CARD, brand: 'visa', funding: 'credit', description: 'succeeds: Visa credit'},
  {number: '4701322211111234', brand: 'visa', funding: 'debit', description: 'succeeds: Visa debit'},
  {number: '5425233430109903', brand: 'mastercard', funding: 'credit', description: 'succeeds: Mastercard credit'},
  {number: '5200828282828210', brand: 'mastercard', funding: 'debit', description: 'succeeds: Mastercard debit'},
  {number: '4000000760000002', brand: 'visa', funding: 'credit', description: 'succeeds: issued in the Philippines'},
  {number: '4311780000241409', brand: 'visa', funding: 'credit', description: 'succeeds: 3-D Secure, frictionless'},
  {number: '4000000000001000', brand: 'visa', funding: 'credit', failure: 'blocked', description: 'fails: blocked'},
  {
    number: '4005550000000019',
    brand: 'visa',
    funding: 'credit',
    failure: 'generic_decline',
    description: 'fails: declined',
  },
  {
    number: '4503300000000008',
    brand: 'visa',
    funding: 'credit',
    failure: 'funds_insufficient',
    description: 'fails: insufficient funds',
  },
  {
    number: '4205260000000005',
    brand: 'visa',
    funding: 'credit',
    failure: 'cvc_incorrect',
    description: 'fails: wrong security code',
  },
  {
    number: '4001270000000000',
    brand: 'visa',
    funding: 'credit',
    failure: 'processing_error',
    description: 'fails: error while processing',
  },
  {
    number: '4012000033330026',
    brand: 'visa',
    funding: 'credit',
    failure: 'system_error',
    description: 'fails: error of the issuer',
  },
  {
    number: '4000000000000077',
    brand: 'visa',
    funding: 'credit',
    failure: 'generic_decline',
    description: 'fails: 3-D Secure, frictionless, declined',
  },
];

/** The test card of this number; spaces and dashes in it do not matter. */
export function testCard(number: string): TestCard | undefined {
  const digits = number.replace(/[\s-]/g, '');
  return TEST_CARDS.find((card) => card.number === digits);
}
