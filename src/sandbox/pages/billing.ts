// Billing details on the page of a session without a customer: the fields, and what the payer typed into them.

import {inputField} from './field.js';
import {USUAL_PAYER, type BillingDetails} from '../paying/billing.js';
import {html, shorten, type Html} from './markup.js';

interface Input {
  readonly label: string;
  readonly longest: number;
  readonly required?: true;
}

/** By the field's name in the form, in the order of the page. */
const INPUTS = {
  billing_name: {label: 'Name', longest: 100, required: true},
  billing_email: {label: 'E-mail', longest: 254, required: true},
  billing_phone: {label: 'Phone', longest: 30},
  billing_line1: {label: 'Address', longest: 200},
  billing_line2: {label: 'Address, second line', longest: 200},
  billing_city: {label: 'City', longest: 100},
  billing_state: {label: 'Province', longest: 100},
  billing_postal_code: {label: 'Postal code', longest: 20},
  billing_country: {label: 'Country (two letters)', longest: 2},
} as const satisfies Record<string, Input>;

export type BillingField = keyof typeof INPUTS;

export type BillingValues = Readonly<Record<BillingField, string>>;

export type BillingFaults = Partial<Record<BillingField, string>>;

const NAMES = Object.keys(INPUTS) as BillingField[];
const ADDRESS = ['line1', 'line2', 'city', 'state', 'postal_code', 'country'] as const;

/** What the fields begin with: what the attempt before this one carried, else a made-up payer, so that nothing need be typed. */
export function billingValues(before: BillingDetails | undefined): BillingValues {
  const {name, email, phone, address} = before?.email ? before : USUAL_PAYER;
  const values: Record<string, string | null | undefined> = {name, email, phone, ...address};
  return Object.fromEntries(
    NAMES.map((field) => [field, values[field.replace('billing_', '')] ?? '']),
  ) as BillingValues;
}

/** What was sent; undefined when none of the fields was, as by a script that sends a card alone. */
export function submittedBilling(form: URLSearchParams): BillingValues | undefined {
  if (!NAMES.some((name) => form.has(name))) return undefined;
  return Object.fromEntries(
    NAMES.map((name) => [name, shorten(form.get(name) ?? '', INPUTS[name].longest).trim()]),
  ) as BillingValues;
}

export function billingFaults(values: BillingValues | undefined): BillingFaults {
  if (!values) return {};
  const faults: BillingFaults = {};
  if (values.billing_name === '') faults.billing_name = 'Enter your name.';
  if (!/^[^\s@]+@[^\s@]+$/.test(values.billing_email))
    faults.billing_email = 'Enter your e-mail address, such as juan@example.com.';
  if (!/^([A-Za-z]{2})?$/.test(values.billing_country))
    faults.billing_country = 'Enter the two letters of the country, such as PH.';
  return faults;
}

/** As a payment carries them: what was left blank is null. */
export function billingDetails(values: BillingValues | undefined): BillingDetails | undefined {
  if (!values) return undefined;
  const value = (field: string) => values[`billing_${field}` as BillingField] || null;
  const address = Object.fromEntries(ADDRESS.map((field) => [field, value(field)]));
  return {
    name: value('name'),
    email: value('email'),
    phone: value('phone'),
    address: {...address, country: value('country')?.toUpperCase() ?? null},
  };
}

/** Folded, as they are filled in; open when something in them is wrong. */
export function billingFieldset(values: BillingValues, faults: BillingFaults): Html {
  const wrong = NAMES.some((name) => faults[name]);
  return html`<details ${wrong ? html`open` : ''}>
    <summary>Billing details: ${values.billing_name}, ${values.billing_email}</summary>
    ${NAMES.map((name) => field(name, values[name], faults[name]))}
  </details>`;
}

function field(name: BillingField, value: string, fault: string | undefined): Html {
  const {label, longest, ...more}: Input = INPUTS[name];
  const attributes = html`maxlength="${longest}" ${more.required ? html`aria-required="true"` : ''}`;
  return inputField({name, label, value, fault, attributes});
}
