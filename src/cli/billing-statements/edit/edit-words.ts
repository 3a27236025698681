// What an edit makes of a draft, in lines that people read before it is saved.

import type {Edits, StatementItem} from '../../../billing/compose/plan.js';
import {fromNow, longDay} from '../../../manila.js';
import {clean} from '../../../output/format.js';
import {formatPesos} from '../../../pesos.js';

/** More changes of items than this are counted. */
const MOST_LINES = 6;

export interface EditWords {
  readonly edits: Edits;
  /** Centavos before and after. */
  readonly totals: readonly [before: number, after: number];
  /** Unix seconds; undefined where the due date stays. */
  readonly dueAt: number | undefined;
  /** Unix seconds. */
  readonly now: number;
}

/** `change  Hosting: 1 × ₱1,250.00 to 1 × ₱1,300.00`; none where nothing is different. */
export function editLines({edits, totals: [before, after], dueAt, now}: EditWords): string[] {
  const {changed, added, removed} = edits;
  const items = [
    ...changed.map(({from, to}) => `change  ${changeWords(from, to)}`),
    ...added.map((item) => `add     ${itemWords(item)}`),
    ...removed.map((item) => `remove  ${itemWords(item)}`),
  ];
  const shown = items.length > MOST_LINES ? items.slice(0, MOST_LINES - 1) : items;
  const more = items.length - shown.length;
  return [
    ...shown,
    ...(more > 0 ? [`and ${more} more changes`] : []),
    ...(before === after ? [] : [`total   ${formatPesos(before)} to ${formatPesos(after)}`]),
    ...(dueAt === undefined ? [] : [`due     ${longDay(dueAt)}, ${fromNow(dueAt, now)}`]),
  ];
}

const priceWords = ({quantity, unit_price: price}: StatementItem): string =>
  `${quantity.toLocaleString('en')} × ${formatPesos(price)}`;

const itemWords = (item: StatementItem): string => `${clean(item.description)}: ${priceWords(item)}`;

/** What stays the same is said once. */
function changeWords(from: StatementItem, to: StatementItem): string {
  if (from.description === to.description) return `${itemWords(from)} to ${priceWords(to)}`;
  return priceWords(from) === priceWords(to)
    ? `${clean(from.description)} to ${itemWords(to)}`
    : `${itemWords(from)} to ${itemWords(to)}`;
}
