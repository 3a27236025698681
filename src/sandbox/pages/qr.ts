// The QR code of a payment, as an image inside the page.

import {encode} from 'uqr';
import {html, trusted, type Html} from './markup.js';

/** White modules around it, without which readers do not find it. */
const QUIET = 4;

/** @param label what it is, for those who do not see it */
export function qrImage(text: string, label: string): Html {
  const {size, data} = encode(text, {ecc: 'M', border: 0});
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
