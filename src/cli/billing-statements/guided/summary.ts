// What has been entered so far, in lines: for whom, which items, in all how much, and when it is due.

import type {ItemInput} from '../../../input/items.js';
import {totalOf} from '../../../input/items.js';
import {clean} from '../../../output/format.js';
import type {Measure} from '../../../output/prompt/measure.js';
import {formatPesos} from '../../../pesos.js';
import {countWords} from './items.js';
import type {State} from './state.js';

/** `Niño Ibañez <nino@example.com>, new` */
export const payerWords = ({payer}: Pick<State, 'payer'>): string =>
  payer ? clean(`${payer.name} <${payer.email}>${payer.id === undefined ? ', new' : ''}`) : '';

const priceWords = ({quantity, unitPrice}: ItemInput): string =>
  `${quantity.toLocaleString('en')} × ${formatPesos(unitPrice)}`;

export interface ItemLines {
  readonly items: readonly ItemInput[];
  readonly width: number;
  /** Lines there may be, with the total. */
  readonly rows: number;
  /** Items at the end that are not shown. */
  readonly scrolled?: number;
}

/** Numbered items with their totals; where there is no room for all, how many more there are, and what they come to. */
export function itemLines({items, width, rows, scrolled = 0}: ItemLines, measure: Measure): string[] {
  if (items.length === 0) return [];
  const {cut, padEnd, padStart, widthOf} = measure;
  const total = formatPesos(totalOf(items));
  const end = Math.max(1, items.length - scrolled);
  const room = Math.max(1, rows - 1);
  // A line for what is left out on either side.
  const all = items.length <= room;
  const start = all ? 0 : Math.max(0, end - Math.max(1, room - (end < items.length ? 2 : 1)));
  const last = all ? items.length : end;
  const shown = items.slice(start, last);
  const number = String(items.length).length + 1;
  const totals = Math.max(widthOf(total) + 7, ...shown.map((item) => widthOf(formatPesos(totalOf([item])))));
  const amounts = Math.max(...[total, ...shown.map((item) => formatPesos(totalOf([item])))].map(widthOf));
  const prices = Math.max(...shown.map((item) => widthOf(priceWords(item))));
  const wide = width - 2 - number - 2 - prices - 3 - amounts >= 12;
  const text = Math.max(4, width - 2 - number - 2 - (wide ? prices + 3 : 2) - amounts);
  const left = (from: number, to: number, where: string): string[] => {
    const some = items.slice(from, to);
    if (some.length === 0) return [];
    const words = cut(`and ${some.length} more ${some.length === 1 ? 'item' : 'items'} ${where}`, width - totals - 4);
    return [
      `  ${padEnd('', number + 2)}${padEnd(words, width - number - 4 - amounts)}${padStart(formatPesos(totalOf(some)), amounts)}`,
    ];
  };
  return [
    ...left(0, start, 'above'),
    ...shown.map((item, index) =>
      [
        `  ${padStart(String(start + index + 1), number)}  `,
        padEnd(cut(clean(item.text), text), text),
        wide ? ` ${padStart(priceWords(item), prices)}  ` : '  ',
        padStart(formatPesos(totalOf([item])), amounts),
      ].join(''),
    ),
    ...left(last, items.length, 'below'),
    `  ${padEnd('', number + 2)}${padEnd(cut(countWords(items.length), width), width - number - 4 - amounts - 7)}${padStart(`Total  ${total}`, amounts + 7)}`,
  ];
}
