// Accepts good values as the schemas of schema.ts do, without zod: most commands then need not load it.

import {isJsonObject} from '../common/json.js';
import type {Fields} from './fields.js';
import type {Shape} from './operation.js';

/** True for an object that `objectSchema` accepts. */
export function isObjectOf(value: unknown, {fields, name, prefix, oldPrefix = prefix}: Shape): boolean {
  if (!isJsonObject(value)) return false;
  const {id, resource = name} = value;
  const isNamed = typeof id === 'string' && (id.startsWith(prefix) || id.startsWith(oldPrefix)) && resource === name;
  const isAmount = (field: string): boolean => Number.isSafeInteger(value[field] ?? 0);
  return isNamed && Object.entries(fields).every(([field, {kind}]) => kind !== 'centavos' || isAmount(field));
}

/** True for a page that `pageSchema` accepts. */
export const isPageOf = (value: unknown, shape: Shape): boolean =>
  isJsonObject(value) &&
  Array.isArray(value.data) &&
  value.data.every((each) => isObjectOf(each, shape)) &&
  [true, false, 0, 1].includes(value.has_more as never);

/** True for parameters that `requestSchema` accepts unchanged: integers, of a request that needs nothing else. */
export const areIntegers = (params: Readonly<Record<string, unknown>>, fields: Fields): boolean =>
  Object.entries(fields).every(([name, {kind, required, min = -Infinity, max = Infinity}]) => {
    const value = params[name];
    if (value === undefined) return !required;
    return kind === 'integer' && Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max;
  });
