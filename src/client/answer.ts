// Reads a 2xx response: it must be the kind of object that the operation returns. Unknown fields pass through.

import {MAXIMUM_PAGE} from '../api/fields.js';
import type {Operation} from '../api/operation.js';
import {answerSchema, pageSchema} from '../api/schema.js';
import type {ApiResponse} from '../api/wire.js';
import {readJson, UnreadableJson} from '../ground/json.js';
import {UnusableAnswer} from './call-errors.js';

const UTF8 = new TextDecoder('utf-8', {fatal: true});

function parseJson(response: ApiResponse): unknown {
  const type = response.headers['content-type'] ?? '';
  let source: string;
  try {
    source = UTF8.decode(response.body);
  } catch {
    throw new UnusableAnswer('The response is not UTF-8 text.');
  }
  try {
    return readJson(source);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    if (!error.message.startsWith('It is not JSON')) throw new UnusableAnswer(`${error.message}.`);
    const what = /html/i.test(type) || /^\s*</.test(source) ? 'a web page' : 'not JSON';
    throw new UnusableAnswer(`The response (HTTP ${response.status}, ${response.body.length} bytes) is ${what}.`);
  }
}

/** For any request: the API sends JSON, or nothing. */
export function checkedAnswer(response: ApiResponse): ApiResponse {
  if (response.body.length > 0) parseJson(response);
  return response;
}

export function readAnswer(call: {operation: Operation; ids: readonly string[]}, response: ApiResponse): unknown {
  const {kind, shape} = call.operation.returns;
  if (response.body.length === 0) {
    if (kind === 'nothing') return undefined;
    if (kind === 'deleted') return {id: call.ids.at(-1), resource: shape.name, deleted: true};
    throw new UnusableAnswer(`The response (HTTP ${response.status}) is empty, but a ${shape.title} was expected.`);
  }
  const value = parseJson(response);
  // The content does not matter, but it must not be the web page of a proxy.
  if (kind === 'nothing') return undefined;
  if (kind === 'deleted') {
    const {id, deleted} = (value ?? {}) as {id?: unknown; deleted?: unknown};
    if (id !== call.ids.at(-1) || deleted === false) {
      throw new UnusableAnswer(`The response does not name the deleted ${shape.title}.`);
    }
    return {resource: shape.name, deleted: true, ...(value as object)};
  }
  if (kind === 'list') return readPage(value, shape);
  // The API still answers with what is left of a deleted object.
  const parsed = answerSchema(shape).safeParse(value);
  if (!parsed.success)
    throw new UnusableAnswer(`The response is not a ${shape.title}: ${firstIssue(parsed.error.issues)}.`);
  const [asked, ...others] = call.ids;
  if (others.length === 0 && asked?.startsWith(shape.prefix) && (value as {id: string}).id !== asked)
    throw new UnusableAnswer(`The response is a different ${shape.title} than ${asked}.`);
  return value;
}

function readPage(value: unknown, shape: Operation['returns']['shape']): unknown {
  const count = (value as {data?: unknown[]} | null)?.data?.length ?? 0;
  if (count > MAXIMUM_PAGE) throw new UnusableAnswer(`The page has ${count} items; the maximum is ${MAXIMUM_PAGE}.`);
  const parsed = pageSchema(shape).safeParse(value);
  if (!parsed.success)
    throw new UnusableAnswer(`The response is not a list of ${shape.title}s: ${firstIssue(parsed.error.issues)}.`);
  return {...(value as object), has_more: Boolean((value as {has_more: unknown}).has_more)};
}

const firstIssue = (issues: readonly {path: PropertyKey[]; message: string}[]): string =>
  `${issues[0]!.path.map(String).join('.') || 'it'}: ${issues[0]!.message}`;
