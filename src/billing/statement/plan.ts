// The plan of one statement, and how a statement differs from its plan.

import {statementCustomerOf, dueTimeOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../common/errors.js';
import type {StatementItem} from '../../input/items.js';

export interface ExistingItem extends StatementItem {
  readonly id: string;
}

/** The API still returns some fields of a deleted statement. */
export type BillingStatementData = Awaited<ReturnType<Client['billingStatements']['get']>> & {
  readonly deleted?: boolean;
};

export interface StatementPlan {
  /** Id of a draft to complete, instead of creating a draft. */
  readonly id?: string;
  /** A customer to create first; the new id then replaces `create.customer_id`. */
  readonly newCustomer?: {readonly name: string; readonly email: string};
  /** Parameters of the create call; not needed with `id`. */
  readonly create?: {readonly customer_id: string; readonly currency: string; readonly [parameter: string]: unknown};
  /** All items of the statement. With `id`, an empty list keeps the draft's items. */
  readonly items: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  /** The draft at the time when the user confirmed its edit. Only its items of that time may be changed or removed. */
  readonly edits?: BillingStatementData;
  readonly finalize: boolean;
  readonly send: boolean;
  /**
   * The replaced statement, and what happens before finalizing. `void`: void the replaced statement. `open`: nothing.
   * `ask`: nothing if this run voided the replaced statement; otherwise stop, and the caller decides.
   */
  readonly replaces?: {readonly id: string; readonly next: 'ask' | 'open' | 'void'};
  /** Set to only finalize or send the statement with this `id`. A send requires the amount `shown` to the user, in centavos. */
  readonly named?: {readonly shown?: {readonly amount: number | undefined}};
  /** For a row of an import: `items` ends after the items; `rest` finishes once no other import bills the row. */
  readonly stage?: 'items' | 'rest';
}

export const itemsOf = (statement: BillingStatementData): ExistingItem[] =>
  Array.isArray(statement.line_items) ? (statement.line_items as ExistingItem[]) : [];

/** Returns a key that ignores white space and the encoding of accents, which the API may change. */
const contentKeyOf = ({description, quantity, unit_price}: StatementItem): string =>
  JSON.stringify([description.normalize('NFC').replace(/\s+/g, ' ').trim(), quantity, unit_price]);

export interface ItemDifference {
  /** Wanted items that the statement lacks; equal items are listed several times. */
  readonly missing: StatementItem[];
  /** Wanted items that are present too often: of equal items, the last. */
  readonly surplus: ExistingItem[];
  readonly foreign: ExistingItem[];
}

/**
 * Compares the present items with the wanted items, and counts equal items.
 * @param before ids of items that must stay: among equal items, all others become surplus first
 */
export function differenceOf(
  wanted: readonly StatementItem[],
  present: readonly ExistingItem[],
  before: ReadonlySet<string> = new Set(),
): ItemDifference {
  const oldestFirst = [...present.filter(({id}) => before.has(id)), ...present.filter(({id}) => !before.has(id))];
  const known = new Set(wanted.map(contentKeyOf));
  return {
    missing: without(wanted, present),
    surplus: without(oldestFirst, wanted).filter((item) => known.has(contentKeyOf(item))),
    foreign: present.filter((item) => !known.has(contentKeyOf(item))),
  };
}

/** Returns `items` without one equal item for each of `others`; the first equal items are left out. */
function without<Item extends StatementItem>(items: readonly Item[], others: readonly StatementItem[]): Item[] {
  const counts = new Map<string, number>();
  for (const other of others) counts.set(contentKeyOf(other), (counts.get(contentKeyOf(other)) ?? 0) + 1);
  return items.filter((item) => {
    const count = counts.get(contentKeyOf(item)) ?? 0;
    counts.set(contentKeyOf(item), count - 1);
    return count < 1;
  });
}

export interface ItemEdits {
  readonly changed: readonly {readonly from: ExistingItem; readonly to: StatementItem}[];
  readonly added: readonly StatementItem[];
  readonly removed: readonly ExistingItem[];
}

/** Returns the edits that turn present into wanted items. An item with the same description, or else position, is changed. */
export function editsOf(wanted: readonly StatementItem[], present: readonly ExistingItem[]): ItemEdits {
  const {missing, surplus, foreign} = differenceOf(wanted, present);
  const gone = present.filter((item) => surplus.includes(item) || foreign.includes(item));
  const changed: {from: ExistingItem; to: StatementItem}[] = [];
  const likes: ((from: ExistingItem, to: StatementItem) => boolean)[] = [
    (from, to) => from.description === to.description,
    (from, to) => present.indexOf(from) === wanted.indexOf(to),
  ];
  for (const isLike of likes)
    for (const to of missing) {
      const from = changed.some((pair) => pair.to === to) ? undefined : gone.find((item) => isLike(item, to));
      if (from === undefined) continue;
      gone.splice(gone.indexOf(from), 1);
      changed.push({from, to});
    }
  return {changed, added: missing.filter((item) => !changed.some(({to}) => to === item)), removed: gone};
}

export const itemContentOf = ({description, quantity, unit_price}: StatementItem): StatementItem => ({
  description,
  quantity,
  unit_price,
});

export const readsTheSame = (a: StatementItem, b: StatementItem): boolean => contentKeyOf(a) === contentKeyOf(b);

export const isSameItem = (a: ExistingItem, b: ExistingItem): boolean =>
  a.id === b.id && contentKeyOf(a) === contentKeyOf(b);

/** True if a draft still has the earlier items, due time and customer. */
export function isUnchangedSince(now: BillingStatementData, before: BillingStatementData): boolean {
  const [items, earlier] = [itemsOf(now), itemsOf(before)];
  return (
    now.status === 'draft' &&
    dueTimeOf(now) === dueTimeOf(before) &&
    statementCustomerOf(now).id === statementCustomerOf(before).id &&
    items.length === earlier.length &&
    items.every((item) => earlier.some((each) => isSameItem(each, item)))
  );
}

/** True if the status and all items are complete: incomplete items would count as missing. True for a deleted statement. */
export function hasWholeItems({deleted, line_items: items, status}: BillingStatementData): boolean {
  const isWhole = (item: Partial<ExistingItem> | null): boolean =>
    typeof item?.id === 'string' &&
    typeof item.description === 'string' &&
    Number.isSafeInteger(item.quantity) &&
    Number.isSafeInteger(item.unit_price);
  return deleted === true || (typeof status === 'string' && Array.isArray(items) && items.every(isWhole));
}

/** @throws CentavoError kind `unavailable` unless {@link hasWholeItems} */
export function requireWholeItems(statement: BillingStatementData): void {
  if (hasWholeItems(statement)) return;
  throw new CentavoError('unavailable', 'the API returned an unexpected response.', {
    code: 'unusable_answer',
    why: `The status or the line items of ${statement.id} are missing or invalid.`,
  });
}
