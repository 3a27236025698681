// Reads related objects, which the API returns whole, as an id or as null; and checks ids from other places.

import {shapeOfId, shapes} from '../api/registry.js';
import type {Objects} from '../api/types.js';
import {shownId} from '../client/client.js';
import {usageError} from '../common/errors.js';
import {atCaller} from './caller-line.js';

type RelatedValue = string | {readonly id: string} | null | undefined;
type IdIn<R> = R extends string ? R : R extends {readonly id: infer I} ? I : null;

/** Returns the id of a related object, whole or not; null if there is none. */
export const idOf = <R extends RelatedValue>(related: R): IdIn<R> =>
  (typeof related === 'object' ? (related?.id ?? null) : (related ?? null)) as IdIn<R>;

/** Returns the related object if it is whole, otherwise null. */
export const objectOf = <R extends RelatedValue>(related: R): Extract<R, {readonly id: string}> | null =>
  (typeof related === 'object' ? related : null) as Extract<R, {readonly id: string}> | null;

/**
 * Checks an id from a database or a URL: `asId('payment', row.payment)`.
 * @throws CentavoError kind `usage` for anything but an id of this resource
 */
export const asId: <N extends keyof Objects>(resource: N, text: unknown) => Objects[N]['id'] = atCaller(
  (resource: keyof Objects, text: unknown) => {
    const found = typeof text === 'string' ? shapeOfId(text) : undefined;
    if (found?.name === resource) return text as never;
    const wanted = [...shapes.values()].find(({name}) => name === resource);
    if (!wanted) throw usageError('unknown_resource', `centavo has no resource ${JSON.stringify(resource)}.`);
    throw usageError('invalid_id', `${shownId(text)} is not the id of a ${wanted.title}.`, {
      why: `Such an id starts with ${wanted.prefix}${found ? `, and this is the id of a ${found.title}` : ''}.`,
    });
  },
);
