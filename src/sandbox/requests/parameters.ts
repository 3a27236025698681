// Decodes request parameters from JSON, forms or queries, and validates them by the contract.

import {areIntegers} from '../../api/checks.js';
import type {Field, Fields} from '../../api/fields.js';
import {requestSchema} from '../../api/schema.js';
import type {ApiRequest} from '../../api/wire.js';
import {setAtPath} from '../../common/brackets.js';
import {readJson, UnreadableJson} from '../../common/json.js';
import {invalid, ApiProblem} from '../api-problems.js';

type ParsedParams = Record<string, unknown>;

/** Levels of nesting; the contract has three. */
const MAX_DEPTH = 8;

export function readParams(request: ApiRequest, fields: Fields): ParsedParams {
  if (request.method === 'GET' || request.method === 'DELETE') return coerce(parseBrackets(request.query), fields);
  if (!request.body?.length) return {};
  const source = Buffer.from(request.body).toString('utf8');
  if (!(request.headers['content-type'] ?? '').toLowerCase().includes('json'))
    return coerce(parseBrackets(source), fields);
  let parsed: unknown;
  try {
    parsed = readJson(source);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    throw invalid('parameter_invalid', `The request body cannot be read. ${error.message}.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid('parameter_invalid', 'The request body must be a JSON object.');
  return parsed as ParsedParams;
}

/** Parses names such as `a[b][]`. If a name has values of different kinds, the last value wins. */
export function parseBrackets(source: string): ParsedParams {
  const root: ParsedParams = {};
  for (const [name, value] of new URLSearchParams(source)) {
    const [first = '', ...rest] = name.split(/\[|\]\[?/);
    if (rest.at(-1) === '' && name.endsWith(']')) rest.pop();
    if (rest.length > MAX_DEPTH) throw invalid('parameter_invalid', `The parameter ${first} is nested too deep.`);
    setAtPath(root, [first, ...rest], value, true);
  }
  return root;
}

/** Converts texts of a form or query to the contract's types. Validation refuses other texts. */
function coerce(params: ParsedParams, fields: Fields): ParsedParams {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Object.hasOwn(fields, name) ? coerceField(value, fields[name]!) : value,
    ]),
  );
}

function coerceField(value: unknown, field: Field): unknown {
  if (field.kind === 'hash' && typeof value === 'object' && !Array.isArray(value))
    return coerce(value as ParsedParams, field.fields!);
  if (field.kind === 'items' && Array.isArray(value))
    return value.map((item) => (typeof item === 'object' ? coerce(item as ParsedParams, field.fields!) : item));
  if (field.areNumbers && Array.isArray(value)) return value.map((each) => Number(each) || (each as unknown));
  if (typeof value !== 'string') return value;
  if (value === '') return field.kind === 'text' ? value : null;
  if (field.kind === 'boolean') return /^(true|1)$/i.test(value) ? true : /^(false|0)$/i.test(value) ? false : value;
  if (field.kind === 'integer' || field.kind === 'centavos' || field.kind === 'timestamp')
    return /^-?\d{1,15}$/.test(value) ? Number(value) : value;
  return value;
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly input?: unknown;
  readonly origin?: string;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly values?: readonly unknown[];
}

/** Drops unknown parameters silently, as the service does with `due_at` on create. */
export function validate(params: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const known = Object.fromEntries(
    Object.keys(fields)
      .filter((name) => params[name] !== undefined)
      .map((name) => [name, params[name]]),
  );
  if (areIntegers(known, fields)) return known;
  const parsed = requestSchema(fields).safeParse(known, {reportInput: true});
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.map((issue) => {
    const parameter = issue.path.map(String).join('.');
    const [code, fault] = codeAndText(issue as Issue);
    return {code, detail: `The value for ${parameter} ${fault}.`, parameter};
  });
  throw new ApiProblem(400, errors);
}

/** Returns the API's error code, and the message after the parameter's name. */
function codeAndText({code, input, origin, minimum, maximum, message, values}: Issue): [code: string, words: string] {
  if (input === undefined || input === null || input === '') return ['parameter_required', 'cannot be blank'];
  const numeric = origin === 'number' || origin === 'int';
  if (code === 'invalid_type' && /expected (?:int|number)/.test(message))
    return ['parameter_type_invalid', `must be a whole number, not ${JSON.stringify(input).slice(0, 40)}`];
  if (code === 'invalid_type') return ['parameter_type_invalid', `is of the wrong type. ${message}`];
  if (code === 'too_small' && numeric) return ['parameter_below_minimum', `cannot be less than ${String(minimum)}`];
  if (code === 'too_big')
    return ['parameter_above_maximum', `cannot be ${numeric ? 'more' : 'longer'} than ${String(maximum)}`];
  if (code === 'invalid_value') return ['parameter_invalid', `must be one of ${(values ?? []).map(String).join(', ')}`];
  return ['parameter_invalid', `is not valid. ${message}`];
}
