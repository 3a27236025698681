// Parameter names with brackets: `k[sub]` is a hash, `k[]` a list. In `k[][f]`, a repeated key starts a new element.

import {isJsonObject} from './json.js';

type Bracketed = Record<string, unknown>;

/**
 * Sets the value at a path such as `['k', '', 'f']`; an empty key appends to a list.
 * @param replaces true to overwrite a value of another kind
 * @returns false if such a value exists and must stay
 */
export function setAtPath(
  target: Bracketed,
  [key = '', next, ...rest]: readonly string[],
  value: unknown,
  replaces: boolean,
): boolean {
  const before = ownValue(target, key);
  if (next === undefined) {
    if (!replaces && typeof before === 'object' && before !== null) return false;
    set(target, key, value);
    return true;
  }
  if (next === '' ? !Array.isArray(before) : !isJsonObject(before)) {
    if (!replaces && before !== undefined) return false;
    set(target, key, next === '' ? [] : {});
  }
  if (next !== '') return setAtPath(target[key] as Bracketed, [next, ...rest], value, replaces);
  const list = target[key] as unknown[];
  if (rest.length === 0) {
    list.push(value);
    return true;
  }
  const last = list.at(-1);
  if (!isJsonObject(last) || holdsAt(last, rest)) list.push({});
  return setAtPath(list.at(-1) as Bracketed, rest, value, replaces);
}

/** Defines the key, so that `__proto__` is a key like any other. */
const set = (target: Bracketed, key: string, value: unknown): unknown =>
  Object.defineProperty(target, key, {value, enumerable: true, configurable: true, writable: true});

const ownValue = (target: Bracketed, key: string): unknown => (Object.hasOwn(target, key) ? target[key] : undefined);

/** True if the path already has a value; false at a list, which can always grow. */
function holdsAt(target: Bracketed, [key = '', next, ...rest]: readonly string[]): boolean {
  const value = ownValue(target, key);
  if (value === undefined || next === undefined) return value !== undefined;
  return next !== '' && isJsonObject(value) && holdsAt(value, [next, ...rest]);
}
