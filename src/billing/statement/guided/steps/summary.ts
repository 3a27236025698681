// The entered values as text: the customer, the items with their total, and the due date.

import {relativeDay, endOfManilaDay, longDay} from '../../../../common/manila.js';
import {formatPesos} from '../../../../common/pesos.js';
import {totalAsNumber, type StatementItem} from '../../../../input/items.js';
import {formatTime, oneLineText} from '../../../../output/format.js';
import type {Space, Summary} from '../../../../output/prompt/asker.js';
import type {Guide} from '../guide.js';

/** `Niño Ibañez <nino@example.com>, new` */
export const formatPayer = ({payer}: Pick<Guide, 'payer'>): string =>
  payer ? oneLineText(`${payer.name} <${payer.email}>${payer.id === undefined ? ', new' : ''}`) : '';

/** `Tuesday, 15 December 2026, in 23 days` @param at unix seconds @param now unix seconds */
export const formatLongDue = (at: number, now: number): string =>
  `${longDay(at)}${at === endOfManilaDay(at) ? '' : ` ${formatTime(at).slice(-5)}`}, ${relativeDay(at, now)}`;

/** `2 items, total ₱36,500.00` */
export const formatItemSum = (items: readonly StatementItem[]): string =>
  `${formatItemCount(items.length)}, total ${formatPesos(totalAsNumber(items))}`;

export const formatItemCount = (count: number): string => `${count} ${count === 1 ? 'item' : 'items'}`;

export const formatItemPrice = ({quantity, unit_price}: StatementItem): string =>
  `${quantity.toLocaleString('en')} × ${formatPesos(unit_price)}`;

/** `Hosting: 1 × ₱6,500.00 = ₱6,500.00` */
export const formatItemReading = (item: StatementItem): string =>
  `${item.description}: ${formatItemPrice(item)} = ${formatPesos(totalAsNumber([item]))}`;

export const formatItemLines = (items: readonly StatementItem[]): string[] =>
  items.map((item, index) => `Line ${index + 1}: ${formatItemReading(item)}`);

export const changesIn = ({changes, items, dueAt}: Pick<Guide, 'changes' | 'dueAt' | 'items'>): readonly string[] =>
  changes?.({items, dueAt}) ?? [];

/** @param asked the part that is asked for, and not shown */
export const statementSummary =
  (guide: Guide, asked?: 'description' | 'due') =>
  (space: Space): Summary => {
    const {dueAt, description, now, items} = guide;
    const changes = asked
      ? []
      : changesIn(guide).flatMap((line) => space.measure.wrap(oneLineText(line), space.width - 2));
    const {rows, after} = itemTable(items, space);
    return {
      before: [
        `  To   ${formatPayer(guide)}`,
        ...(dueAt !== undefined && asked !== 'due' ? [`  Due  ${formatLongDue(dueAt, now)}`] : []),
        ...(description !== undefined && asked !== 'description' ? [`  For  ${oneLineText(description)}`] : []),
        '',
      ],
      rows,
      after: [...after, ...(changes.length > 0 ? ['', ...changes.map((line) => `  ${line}`)] : [])],
    };
  };

export const itemSummary =
  (guide: Guide) =>
  (space: Space): {before: string[]; rows: string[]; after: string[]} => ({
    before: [`  Customer  ${formatPayer(guide)}`, ...(guide.items.length > 0 ? [''] : [])],
    ...itemTable(guide.items, space),
  });

/** Returns numbered items in columns, and their total. */
function itemTable(items: readonly StatementItem[], {width, measure}: Space): {rows: string[]; after: string[]} {
  if (items.length === 0) return {rows: [], after: []};
  const {cut, padEnd, padStart, widthOf} = measure;
  const amountOf = (item: StatementItem): string => formatPesos(totalAsNumber([item]));
  const total = formatPesos(totalAsNumber(items));
  const number = String(items.length).length + 1;
  const amounts = Math.max(...[total, ...items.map(amountOf)].map(widthOf));
  const prices = Math.max(...items.map((item) => widthOf(formatItemPrice(item))));
  const isWide = width - 2 - number - 2 - prices - 3 - amounts >= 12;
  const text = Math.max(4, width - 2 - number - 2 - (isWide ? prices + 3 : 2) - amounts);
  const rows = items.map((item, index) =>
    [
      `  ${padStart(String(index + 1), number)}  `,
      padEnd(cut(oneLineText(item.description), text), text),
      isWide ? ` ${padStart(formatItemPrice(item), prices)}  ` : '  ',
      padStart(amountOf(item), amounts),
    ].join(''),
  );
  const count = padEnd(cut(formatItemCount(items.length), width), width - number - 4 - amounts - 7);
  return {rows, after: [`  ${padEnd('', number + 2)}${count}${padStart(`Total  ${total}`, amounts + 7)}`]};
}
