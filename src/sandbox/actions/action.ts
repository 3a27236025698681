// The type of an action, and helpers for list pages, metadata and amount limits.

import {MAXIMUM_CENTAVOS, MINIMUM_CENTAVOS} from '../../api/fields.js';
import {aboveMaximum, invalid, invalidParameter, required} from '../api-problems.js';
import type {ListPage, StoredRecord} from '../store.js';
import type {Transaction} from '../transaction.js';

export interface ActionCall {
  readonly ids: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

/** An action that throws an ApiProblem rolls the transaction back. */
type ApiAction = (tx: Transaction, call: ActionCall) => unknown;

export type Actions = Readonly<Record<string, ApiAction>>;

/** Default objects per page. The service's own default is unknown. */
const DEFAULT_PAGE = 10;

export function listPage(
  tx: Transaction,
  resource: string,
  params: Readonly<Record<string, unknown>>,
  where?: (record: StoredRecord) => boolean,
): ListPage {
  const {before, after} = params as {before?: string; after?: string};
  if (before && after) throw invalidParameter('before', 'Only one of before and after can be given.');
  try {
    return tx.store.list(resource, {
      limit: (params.limit as number | undefined) ?? DEFAULT_PAGE,
      before: before ?? undefined,
      after: after ?? undefined,
      where,
    });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw invalidParameter(
      before ? 'before' : 'after',
      `The cursor ${error.message} is not the id of a ${resource.replaceAll('_', ' ')}.`,
    );
  }
}

/** Returns the named parameters that are neither undefined nor null. @throws ApiProblem 400 if a value is '' */
export function providedFields(
  params: Readonly<Record<string, unknown>>,
  ...names: readonly string[]
): Record<string, unknown> {
  const fields = Object.fromEntries(
    names.filter((name) => params[name] !== undefined && params[name] !== null).map((name) => [name, params[name]]),
  );
  const blank = Object.keys(fields).find((name) => fields[name] === '');
  if (blank) throw required(blank);
  return fields;
}

/** Returns the metadata to store: "null when none" (specification). */
export function metadataOf(params: Readonly<Record<string, unknown>>): unknown {
  return params.metadata && Object.keys(params.metadata).length > 0 ? params.metadata : null;
}

export const givenMetadata = (params: Readonly<Record<string, unknown>>) =>
  params.metadata === undefined ? {} : {metadata: metadataOf(params)};

export const deletedStub = ({id, resource}: StoredRecord) => ({id, resource, deleted: true as const});

export function itemsTotal(lines: readonly {readonly quantity: number; readonly price: number}[]): number {
  const sum = lines.reduce((whole, {quantity, price}) => whole + BigInt(quantity) * BigInt(price), 0n);
  if (sum > BigInt(Number.MAX_SAFE_INTEGER)) throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
  return Number(sum);
}

export function requireCollectable(amount: number): void {
  if (amount < MINIMUM_CENTAVOS)
    throw invalid(
      'parameter_below_minimum',
      `The value for amount cannot be less than ${MINIMUM_CENTAVOS}; the total is ${amount}.`,
      'amount',
    );
  if (amount > MAXIMUM_CENTAVOS) throw aboveMaximum('amount', MAXIMUM_CENTAVOS);
}
