// Statement numbers: the customer's prefix and a sequence number; no number is used twice.

import type {Store, StoredRecord} from '../store.js';

/** Formats a sequence number as "zero-padded digits" (specification). */
export const sequenceText = (sequence: number): string => String(sequence).padStart(4, '0');

export const statementNumber = (customer: StoredRecord, sequence: string): string =>
  `${String(customer.billing_statement_prefix)}-${sequence}`;

/** Skips used numbers: numbers are unique (specification), but customers may share a prefix or reset a sequence. */
export function nextSequence(store: Store, customer: StoredRecord): number {
  let sequence = Number(customer.next_billing_statement_sequence_number);
  while (store.hasStatementNumber(statementNumber(customer, sequenceText(sequence)))) sequence += 1;
  return sequence;
}
