// The plan of one statement, and how a statement differs from its plan.

import {statementCustomerOf, dueTimeOf} from '../../api/statement.js';
import type {Client} from '../../client/client.js';
import {CentavoError} from '../../common/errors.js';
import type {StatementItem} from '../../input/items.js';

export interface ExistingItem extends StatementItem {
  readonly id: string;
}

/** The API still answers with the remaining fields of a deleted statement. */
export type BillingStatementData = Awaited<ReturnType<Client['billingStatements']['get']>> & {
  readonly deleted?: boolean;
};

export interface StatementPlan {
  /** A draft to complete instead of creating one. */
  readonly id?: string;
  /** A customer to create first; its id is then used in `create`. */
  readonly newCustomer?: {readonly name: string; readonly email: string};
  /** Parameters of the create call; not needed with `id`. */
  readonly create?: {readonly customer_id: string; readonly currency: string; readonly [parameter: string]: unknown};
  /** All items of the statement; none with `id` means those that the draft has. */
  readonly items: readonly StatementItem[];
  /** Unix seconds. */
  readonly dueAt?: number;
  /** The draft with this `id` as it was when its change was confirmed: only its items at that time may be changed and removed. */
  readonly edits?: BillingStatementData;
  readonly finalize: boolean;
  readonly send: boolean;
  /**
   * The statement that this one replaces, and the step before this one is opened: void it; or, if it has already ended,
   * nothing if this run has voided it, otherwise ask the caller; or nothing.
   */
  readonly replaces?: {readonly id: string; readonly next: 'ask' | 'open' | 'void'};
  /**
   * Only finalizes or sends the statement with this `id`, which a person named. Its amount in centavos must still be the amount
   * that the person saw.
   */
  readonly named?: {readonly shown?: {readonly amount: number | undefined}};
  /** A row of an import stops after its items, waits until no other import bills it, and then does the rest. */
  readonly stage?: 'items' | 'rest';
}

export const itemsOf = (statement: BillingStatementData): ExistingItem[] =>
  Array.isArray(statement.line_items) ? (statement.line_items as ExistingItem[]) : [];

/** The service may change white space and the encoding of accents. */
const contentKeyOf = ({description, quantity, unit_price}: StatementItem): string =>
  JSON.stringify([description.normalize('NFC').replace(/\s+/g, ' ').trim(), quantity, unit_price]);

export interface ItemDifference {
  /** Missing wanted items, with repeats. */
  readonly missing: StatementItem[];
  /** Present more often than wanted; the last ones of each kind. */
  readonly surplus: ExistingItem[];
  readonly foreign: ExistingItem[];
}

/**
 * Compares the present items with the wanted ones, each counted as often as it occurs.
 * @param before ids of items that must stay: of equal items these are counted first
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

/** The items that remain after each of the others has cancelled one equal item, the first ones first. */
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

/** How the present items become the wanted ones: an item with the same description, or at the same position, is changed. */
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

/** True if it is the same item, unchanged. */
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

/** True if it has a status and whole items: incomplete items would count as missing from the statement. */
export function hasWholeItems({deleted, line_items: items, status}: BillingStatementData): boolean {
  const isWhole = (item: Partial<ExistingItem> | null): boolean =>
    typeof item?.id === 'string' &&
    typeof item.description === 'string' &&
    Number.isSafeInteger(item.quantity) &&
    Number.isSafeInteger(item.unit_price);
  return deleted === true || (typeof status === 'string' && Array.isArray(items) && items.every(isWhole));
}

/** @throws CentavoError kind `unavailable` */
export function requireWholeItems(statement: BillingStatementData): void {
  if (hasWholeItems(statement)) return;
  throw new CentavoError('unavailable', 'the API returned an unexpected response.', {
    code: 'unusable_answer',
    why: `The status or the line items of ${statement.id} are missing or invalid.`,
  });
}
