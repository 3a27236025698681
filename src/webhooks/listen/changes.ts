// What is different about an object since the last event that told of it.

import {readJson} from '../../json.js';

export interface Change {
  /** Dotted path into the object. */
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Times that change with every event say nothing. */
const ALWAYS_NEW = new Set(['updated_at']);

/** The object that an event's body is about, in either of the shapes in which events come; undefined for no event. */
export function objectOf(body: Uint8Array): Record<string, unknown> | undefined {
  try {
    const {data} = readJson(Buffer.from(body).toString('utf8')) as {data?: Record<string, unknown>};
    const object = typeof data?.resource === 'object' && data.resource !== null ? data.resource : data;
    return typeof object === 'object' && object !== null ? (object as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The fields that differ, deepest first named; lists are compared as a whole. */
export function changesBetween(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  prefix = '',
): Change[] {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !ALWAYS_NEW.has(key));
  return keys.flatMap((key) => {
    const [old, now] = [before[key], after[key]];
    if (JSON.stringify(old) === JSON.stringify(now)) return [];
    if (isHash(old) && isHash(now)) return changesBetween(old, now, `${prefix}${key}.`);
    return [{path: `${prefix}${key}`, before: old, after: now}];
  });
}

const isHash = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
