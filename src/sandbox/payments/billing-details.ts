// Billing details: the name, email address, phone number and address of the payer.

import type {StoreReader} from '../store.js';

type Text = string | null;

export interface BillingDetails {
  readonly name: Text;
  readonly email: Text;
  readonly phone: Text;
  readonly address: Readonly<Record<string, Text>>;
}

/** The payer if the intent has no customer and no details were entered. */
export const DEFAULT_PAYER: BillingDetails = {
  name: 'Juan Dela Cruz',
  email: 'juan@example.com',
  phone: '+639171234567',
  address: {
    line1: '12 Mabini Street',
    line2: null,
    city: 'Pasay',
    state: 'Metro Manila',
    postal_code: '1300',
    country: 'PH',
  },
};

const NO_ADDRESS = {line1: null, line2: null, city: null, state: null, postal_code: null, country: null};

/** Returns phone and address as the API does, with null for missing values (recorded bodies). */
export function contactOf(given: unknown): Pick<BillingDetails, 'address' | 'phone'> {
  const {phone, address} = (given ?? {}) as {phone?: Text; address?: Record<string, Text> | null};
  return {phone: phone ?? null, address: {...NO_ADDRESS, ...address}};
}

export function billingOfCustomer(tx: StoreReader, id: string | null): BillingDetails | undefined {
  const customer = tx.customer(id);
  if (!customer) return undefined;
  return {name: customer.name as string, email: customer.email as string, ...contactOf(customer.billing)};
}
