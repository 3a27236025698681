// Test cards by their purpose.

/** Numbers of test cards, for tests that say what a card is for. */
export const CARDS = {
  visa: '4242424242424242',
  visa_debit: '4701322211111234',
  mastercard: '5425233430109903',
  mastercard_debit: '5200828282828210',
  three_d_secure: '4000000000003220',
  blocked: '4000000000001000',
  declined: '4005550000000019',
  insufficient_funds: '4503300000000008',
  wrong_cvc: '4205260000000005',
} as const;

export type CardName = keyof typeof CARDS;
