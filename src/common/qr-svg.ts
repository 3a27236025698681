// Draws a QR code as an SVG, for pages.

import {html, type Html, trusted} from './markup.js';

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
