// Parts of HTML pages: a table of items with sums, a list of facts, and a QR code.

import {html, type Html, type HtmlPart, trusted} from './markup.js';
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

/** Blank modules around the code, as the standard asks for. */
const QUIET = 4;

/** @param code `data` has one row of modules after the other, without a border */
export function qrSvg(
  {size, data}: {readonly size: number; readonly data: readonly (readonly boolean[])[]},
  label: string,
): Html {
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
  const edge = size + 2 * QUIET;
  return html`<div class="qr">
    <svg
      viewBox="-${QUIET} -${QUIET} ${edge} ${edge}"
      role="img"
      aria-label="${label}"
      shape-rendering="crispEdges"
      fill="#000"
    >
      <path d="${trusted(dark.join(''))}" />
    </svg>
  </div>`;
}
