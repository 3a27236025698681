// How a payer may pay: request fields that statements, checkout sessions, payment intents share.

import {choice, hash, list, PAYMENT_METHODS} from '../fields.js';

/** What a card may be restricted by, wherever card payments are taken. */
const cardRestrictions = {
  allowed_bins: list({description: 'Only cards whose number begins with one of these digits (BINs).'}),
  allowed_funding: list({
    choices: ['credit', 'debit'],
    description: 'Only cards of this funding.',
    assumed: 'The specification shows no values; these are from client libraries.',
  }),
};

/** How a payment intent or a checkout session takes cards. */
export const paymentMethodOptions = hash(
  {
    card: hash(
      {
        capture_type: choice(['automatic', 'manual'], {
          description: 'Whether the amount is collected at once, or held until it is captured.',
        }),
        ...cardRestrictions,
      },
      {description: 'How cards are taken.'},
    ),
  },
  {description: 'Options for each payment method.'},
);

/** The methods that a payment intent or a checkout session may process. */
export const paymentMethods = list({
  choices: PAYMENT_METHODS,
  description: 'Methods that may be used. Those of your account when not given.',
  assumed: 'The specification shows only card and gcash here; the values are those of billing statements.',
});

/** How a billing statement may be paid. */
export const paymentSettings = hash(
  {
    payment_methods: list({
      choices: PAYMENT_METHODS,
      description: 'Methods that may be used. On a new statement, those of your account when not given.',
      assumed: 'With billease, as the specification says; newer documentation leaves it out.',
    }),
    payment_method_options: hash(
      {card: hash(cardRestrictions, {description: 'How cards are taken.'})},
      {
        description: 'Options for each payment method.',
        assumed: 'Not in the specification for statements; from client libraries.',
      },
    ),
  },
  {
    description: 'How the statement may be paid.',
    assumed: 'Optional: older documentation requires it, newer documentation and the observed service do not.',
  },
);

/** How much a payer is asked on a hosted page. */
export const billingDetailsCollection = choice(['always', 'auto'], {
  description: 'Whether billing detail fields always show, or as the service decides. Default always.',
  assumed: 'The specification shows only always; auto is from two client libraries.',
});
