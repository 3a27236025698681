// What an action is: a function of one request's transaction and checked parameters that returns a record, a page, or nothing.

import type {Fields} from '../../api/fields.js';
import {invalidParameter, required} from '../problems.js';
import type {ListPage, Stored} from '../store.js';
import type {Transaction} from '../transaction.js';

export interface ActionCall {
  /** The ids of the path, in order. */
  readonly ids: readonly string[];
  /** Parameters that passed the contract's checks. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The operation's parameters, for defaults. */
  readonly fields: Fields;
}

/** @throws Problem to refuse; whatever was stored is then undone */
export type Action = (tx: Transaction, call: ActionCall) => unknown;

/** By verb. */
export type Actions = Readonly<Record<string, Action>>;

/** Page size when the request gives none; the service's default is not known. */
const DEFAULT_PAGE = 10;

/** One page of a resource, by the usual parameters. @throws Problem 400 for an unknown cursor */
export function page(
  tx: Transaction,
  resource: string,
  params: Readonly<Record<string, unknown>>,
  where?: (record: Stored) => boolean,
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
      `There is no ${resource.replaceAll('_', ' ')} with id ${error.message} to continue from.`,
    );
  }
}

/**
 * The named parameters that were given, for fields that an object must have: null changes nothing.
 * @throws Problem 400 for a blank text
 */
export function replaced(
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

/** Metadata as it is stored: "null when none" (specification). */
export function metadataOf(params: Readonly<Record<string, unknown>>): unknown {
  return params.metadata && Object.keys(params.metadata).length > 0 ? params.metadata : null;
}

/** The given metadata, which replaces the stored metadata. */
export const givenMetadata = (params: Readonly<Record<string, unknown>>) =>
  params.metadata === undefined ? {} : {metadata: metadataOf(params)};

/** What is left of a deleted object (field notes, 4.2). */
export const remains = ({id, resource}: Stored) => ({id, resource, deleted: true as const});
