// Payment options: request fields that statements, checkout sessions and payment intents share.

import {field, INSTALLMENT_TYPES, PAYMENT_METHODS, PAYMENT_TERMS, STATEMENT_METHODS} from '../fields.js';

const cardRestrictions = {
  allowed_bins: field.list('Accept only cards whose number starts with one of these digits (BINs).'),
  allowed_funding: field.list('Accept only cards with this type of funding.', {
    choices: ['credit', 'debit'],
    assumed: 'The specification shows no values; these are from client libraries.',
  }),
};

export const paymentMethodOptions = field.hash(
  {
    card: field.hash(
      {
        capture_type: field.choice(
          ['automatic', 'manual'],
          'Whether to collect the amount at once, or hold it until you capture it.',
        ),
        ...cardRestrictions,
      },
      'Options for card payments.',
    ),
    bdo_installment: field.hash(
      {
        installment_types: field.list('Types of installment plan to offer. Default: all.', {
          choices: INSTALLMENT_TYPES,
        }),
        payment_terms: field.numbers(PAYMENT_TERMS, 'Months of the installment plans to offer. Default: all.'),
      },
      'Options for BDO installments.',
      {assumed: 'Not in the specification; from the documentation, through client libraries.'},
    ),
  },
  'Options for each payment method.',
);

export const paymentMethods = field.list('Payment methods to accept. Default: all methods of your account.', {
  choices: PAYMENT_METHODS,
  assumed:
    'The specification shows only card and gcash here; the other values are from billing statements, and bdo_installment from client libraries. The sandbox offers it only if asked for.',
});

export const paymentSettings = field.hash(
  {
    payment_methods: field.list(
      'Payment methods to accept. Default for a new statement: all methods of your account.',
      {
        choices: STATEMENT_METHODS,
        assumed: 'With billease, as in the specification; newer documentation omits it.',
      },
    ),
    payment_method_options: field.hash(
      {card: field.hash(cardRestrictions, 'Options for card payments.')},
      'Options for each payment method.',
      {assumed: 'Not in the specification for statements; from client libraries.'},
    ),
  },
  'Payment methods and their options.',
  {assumed: 'Optional: older documentation requires it; newer documentation and the observed service do not.'},
);

export const billingDetailsCollection = field.choice(
  ['always', 'auto'],
  'Whether to always ask for billing details, or let the service decide. Defaults to always.',
  {assumed: 'The specification shows only always; auto is from two client libraries.'},
);
