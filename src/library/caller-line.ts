// Puts the caller's line first in the stack of the library's errors, and the reason into their message.

import {CentavoError} from '../common/errors.js';
import {withReasons} from './reasons.js';

type Method = (...args: never[]) => unknown;
type List = AsyncIterable<unknown> & {then?: unknown; pages?: () => AsyncIterable<unknown>};

/** Errors with their place: the innermost stays, such as a line in a user's handler. Functions and objects, wrapped. */
const done = new WeakSet<object>();
const mark = <T extends object>(value: T): T => (done.add(value), value);

/**
 * Wraps a function, or all functions of a plain object at any depth. Each {@link CentavoError} that they throw, reject
 * or yield then begins at the caller's line, and has its reasons in its message. Code of the library calls the original.
 */
export function atCaller<T extends object>(target: T): T {
  if (done.has(target)) return target;
  if (typeof target === 'function') return wrapMethod(target as unknown as Method) as unknown as T;
  const properties = Object.getOwnPropertyDescriptors(target) as Record<PropertyKey, PropertyDescriptor>;
  for (const property of Reflect.ownKeys(properties).map((name) => properties[name]!)) {
    const {value} = property;
    if (typeof value === 'function') property.value = done.has(value) ? value : wrapMethod(value.bind(target));
    else if (value && Object.getPrototypeOf(value) === Object.prototype) property.value = atCaller(value);
  }
  return mark(Object.create(Object.getPrototypeOf(target) as object, properties) as T);
}

const wrapMethod = (method: Method): Method => {
  const called = (...args: never[]): unknown => {
    const place: {stack?: string} = {};
    Error.captureStackTrace(place, called);
    const rethrow = (error: unknown): never => {
      if (error instanceof CentavoError && !done.has(error)) moveTo(place, mark(withReasons(error)));
      throw error;
    };
    try {
      const result = method(...args);
      return result instanceof Promise ? result.catch(rethrow) : isList(result) ? follow(result, rethrow) : result;
    } catch (error) {
      return rethrow(error);
    }
  };
  return mark(called);
};

const isList = (value: unknown): value is List =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** A list that is awaited, which sends it, or iterated. */
function follow(list: List, rethrow: (error: unknown) => never): object {
  const iterate = async function* (items: AsyncIterable<unknown>) {
    try {
      yield* items;
    } catch (error) {
      rethrow(error);
    }
  };
  return {
    ...(list.then !== undefined && {
      then: (...how: never[]) =>
        Promise.resolve(list)
          .catch(rethrow)
          .then(...how),
    }),
    ...(list.pages && {pages: () => iterate(list.pages!())}),
    [Symbol.asyncIterator]: () => iterate(list),
  };
}

function moveTo(place: {stack?: string}, error: CentavoError): void {
  const frames = /\n\s+at [^]*$/.exec(place.stack ?? '')?.[0] ?? '';
  const value = `${error.name}: ${error.message}${frames}`;
  Object.defineProperty(error, 'stack', {value, enumerable: false, configurable: true, writable: true});
}
