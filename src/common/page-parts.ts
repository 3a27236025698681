// Parts of HTML pages about money: a table of items with sums, and a list of facts.

import {html, type Html, type HtmlPart} from './markup.js';
import {formatPesos} from './pesos.js';

export interface PageItem {
  readonly name: HtmlPart;
  readonly note?: HtmlPart;
  readonly quantity?: number;
  /** Centavos. */
  readonly price?: number;
  readonly image?: Html;
}

export type PageFact = readonly [label: HtmlPart, value: HtmlPart];

/** @param sums in centavos, below the items */
export function itemsTable(
  items: readonly PageItem[],
  sums: readonly (readonly [label: string, centavos: number])[],
): Html {
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
      ${sums.map(
        ([label, centavos]) =>
          html`<tr>
            <th scope="row">${label}</th>
            <td>${formatPesos(centavos)}</td>
          </tr>`,
      )}
    </tfoot>
  </table>`;
}

function itemRow({name, note, quantity, price, image}: PageItem): Html {
  const isPriced = quantity !== undefined && price !== undefined;
  return html`<tr>
    <th scope="row">
      ${name} ${isPriced && html`<small>${quantity.toLocaleString('en')} × ${formatPesos(price)}</small>`}
      ${note ? html`<small>${note}</small>` : ''} ${image}
    </th>
    <td>${isPriced && formatPesos(quantity * price)}</td>
  </tr>`;
}

export function factList(facts: readonly PageFact[]): Html {
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
