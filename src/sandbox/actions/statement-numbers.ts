// Statement numbers: the customer's prefix and a sequence number; no number is used twice.

import type {Store, Stored} from '../store.js';

/** Sequence numbers as texts: "zero-padded digits" (specification). */
export const sequenceText = (sequence: number): string => String(sequence).padStart(4, '0');

export const statementNumber = (customer: Stored, sequence: string): string =>
  `${String(customer.billing_statement_prefix)}-${sequence}`;

/**
 * The sequence number of the customer's next statement. Numbers that a statement has or had are skipped: two customers
 * may share a prefix, and a sequence may be set back, but numbers are unique (specification).
 */
export function nextSequence(store: Store, customer: Stored): number {
  let sequence = Number(customer.next_billing_statement_sequence_number);
  while (store.hasStatementNumber(statementNumber(customer, sequenceText(sequence)))) sequence += 1;
  return sequence;
}
