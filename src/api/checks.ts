// Checks responses, and requests that need no schema, without zod: most commands then need not load it.

import {isJsonObject} from '../common/json.js';
import type {Fields} from './fields.js';
import type {Shape} from './operation.js';

/**
 * Returns the first fault of an object in a response; undefined for a good one. Checks only the id, the kind, and that
 * amounts are whole centavos: other fields of a response may change.
 */
export function faultOf(value: unknown, {fields, name, prefix, oldPrefix = prefix}: Shape): string | undefined {
  if (!isJsonObject(value)) return 'it is not an object';
  const {id, resource = name} = value;
  if (typeof id !== 'string' || !(id.startsWith(prefix) || id.startsWith(oldPrefix)))
    return `its id does not start with ${prefix}`;
  if (resource !== name) return `its resource is not ${name}`;
  const isWhole = (field: string): boolean => Number.isSafeInteger(value[field] ?? 0);
  const wrong = Object.keys(fields).find((field) => fields[field]!.kind === 'centavos' && !isWhole(field));
  return wrong && `its ${wrong} is not a whole number of centavos`;
}

/** Returns the first fault of a page of a list; undefined for a good one. */
export function faultOfPage(value: unknown, shape: Shape): string | undefined {
  if (!isJsonObject(value) || !Array.isArray(value.data)) return 'its data is not a list';
  if (![true, false, 0, 1].includes(value.has_more as never)) return 'its has_more is not true or false';
  const fault = value.data.map((each) => faultOf(each, shape)).find(Boolean);
  return fault && `in one item, ${fault}`;
}

/** True for parameters that `requestSchema` accepts unchanged: integers, of a request that needs nothing else. */
export const areIntegers = (params: Readonly<Record<string, unknown>>, fields: Fields): boolean =>
  Object.entries(fields).every(([name, {kind, required, min = -Infinity, max = Infinity}]) => {
    const value = params[name];
    if (value === undefined) return !required;
    return kind === 'integer' && Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  });
