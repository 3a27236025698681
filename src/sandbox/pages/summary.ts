// What a page asks to be paid for: who asks, the items, the total, and the facts around them.

import type {Work} from '../work.js';
import {html, stranger, type Html, type Part} from './markup.js';
import {formatPesos} from '../../pesos.js';

export interface Item {
  readonly name: unknown;
  readonly note?: unknown;
  readonly quantity: number;
  /** Centavos for one. */
  readonly price: number;
}

/** One line of facts; left out when there is nothing to say. */
export type Fact = readonly [label: string, value: Part];

export function itemsTable(items: readonly Item[], amount: number): Html {
  return html`<table>
    <caption class="unseen">
      Items
    </caption>
    <thead class="unseen">
      <tr>
        <th scope="col">Item</th>
        <th scope="col">Amount</th>
      </tr>
    </thead>
    <tbody>
      ${items.map(itemRow)}
    </tbody>
    <tfoot>
      <tr>
        <th scope="row">Total</th>
        <td>${formatPesos(amount)}</td>
      </tr>
    </tfoot>
  </table>`;
}

function itemRow({name, note, quantity, price}: Item): Html {
  return html`<tr>
    <th scope="row">
      ${stranger(name)}
      <small>${quantity.toLocaleString('en')} × ${formatPesos(price)}</small>
      ${note ? html`<small>${stranger(note)}</small>` : ''}
    </th>
    <td>${formatPesos(quantity * price)}</td>
  </tr>`;
}

export function factList(facts: readonly Fact[]): Html {
  const known = facts.filter(([, value]) => value);
  if (known.length === 0) return html``;
  return html`<dl class="facts">
    ${known.map(
      ([label, value]) =>
        html`<dt>${label}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

export interface Customer {
  readonly name: string;
  readonly email: string;
}

/** A deleted customer stays named on what it was billed for. */
export function customerOf(work: Work, id: unknown): Customer {
  const customer = typeof id === 'string' ? work.store.find('customer', id)?.record : undefined;
  return {name: String(customer?.name ?? ''), email: String(customer?.email ?? '')};
}

/** The merchant as payers know it. */
export const merchantName = (work: Work): string => work.store.setting('merchant_name') ?? 'Sandbox Merchant';
