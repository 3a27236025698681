// Puts the caller's line first in the stack of the library's errors, and the reason into their message.

import {CentavoError} from '../common/errors.js';
import {withReasons} from './reasons.js';

type Method = (...args: never[]) => unknown;
type Rethrow = (error: unknown) => never;

/** Errors that have their place. The innermost call wins: an error in a user's handler keeps the handler's line. */
const placed = new WeakSet<CentavoError>();
const wrapped = new WeakSet<object>();

/**
 * Wraps a function, or all functions of a plain object at any depth. Each {@link CentavoError} that they throw, reject
 * or yield then begins at the caller's line, and has its reasons in its message. Code of the library calls the original.
 */
export function atCaller<T extends object>(target: T): T {
  return (typeof target === 'function' ? wrapMethod(target as unknown as Method) : wrapAll(target)) as T;
}

function wrapAll(owner: object): object {
  if (wrapped.has(owner)) return owner;
  const properties = Object.getOwnPropertyDescriptors(owner) as Record<PropertyKey, PropertyDescriptor>;
  for (const name of Reflect.ownKeys(properties)) {
    const value: unknown = properties[name]!.value;
    if (typeof value === 'function') properties[name]!.value = wrapMethod(value.bind(owner) as Method, value);
    else if (value && Object.getPrototypeOf(value) === Object.prototype) properties[name]!.value = wrapAll(value);
  }
  const copy = Object.create(Object.getPrototypeOf(owner) as object, properties) as object;
  wrapped.add(copy);
  return copy;
}

/** @param original the method before it was bound to its object */
function wrapMethod(method: Method, original: object = method): Method {
  if (wrapped.has(original)) return original as Method;
  const called = (...args: never[]): unknown => {
    const place: {stack?: string} = {};
    Error.captureStackTrace(place, called);
    const rethrow: Rethrow = (error) => {
      throw error instanceof CentavoError ? moveTo(place, error) : error;
    };
    try {
      return follow(method(...args), rethrow);
    } catch (error) {
      return rethrow(error);
    }
  };
  wrapped.add(called);
  return called;
}

/** Passes errors of a promise, or of a list that is awaited or iterated, to `rethrow`. */
function follow(result: unknown, rethrow: Rethrow): unknown {
  if (result instanceof Promise) return result.catch(rethrow);
  if (typeof result !== 'object' || result === null || !(Symbol.asyncIterator in result)) return result;
  const list = result as AsyncIterable<unknown> & {pages?: () => AsyncIterable<unknown>};
  const iterate = async function* (items: AsyncIterable<unknown>) {
    try {
      yield* items;
    } catch (error) {
      rethrow(error);
    }
  };
  return {
    // A list is sent when it is awaited, not before.
    ...('then' in list && {
      then: (...args: never[]) =>
        Promise.resolve(list)
          .catch(rethrow)
          .then(...args),
    }),
    ...(list.pages && {pages: () => iterate(list.pages!())}),
    [Symbol.asyncIterator]: () => iterate(list),
  };
}

function moveTo(place: {stack?: string}, error: CentavoError): CentavoError {
  if (placed.has(error)) return error;
  placed.add(error);
  const {message} = withReasons(error);
  const frames = /\n\s+at [^]*$/.exec(place.stack ?? '')?.[0] ?? '';
  return Object.defineProperty(error, 'stack', {
    value: `${error.name}: ${message}${frames}`,
    enumerable: false,
    configurable: true,
    writable: true,
  });
}
