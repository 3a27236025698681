// Checks parameters against the contract, and reports what is wrong with the service's own codes.

import type {Fields} from '../../api/fields.js';
import {requestSchema} from '../../api/schema.js';
import type {ApiErrorEntry} from '../../api/wire.js';
import {Problem} from '../problems.js';

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

const schemas = new WeakMap<Fields, ReturnType<typeof requestSchema>>();

/** Cached by operation: creating a schema takes longer than the rest of a request. */
function schemaOf(fields: Fields): ReturnType<typeof requestSchema> {
  const schema = schemas.get(fields) ?? requestSchema(fields);
  schemas.set(fields, schema);
  return schema;
}

/**
 * The known parameters, checked. Unknown ones are silently dropped, as the service does with `due_at` on create.
 * @throws Problem 400 with one entry for each fault
 */
export function validate(params: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const known = Object.fromEntries(
    Object.keys(fields)
      .filter((name) => params[name] !== undefined)
      .map((name) => [name, params[name]]),
  );
  const parsed = schemaOf(fields).safeParse(known, {reportInput: true});
  if (parsed.success) return parsed.data;
  throw new Problem(
    400,
    parsed.error.issues.map((issue) => entryOf(issue as Issue)),
  );
}

function entryOf(issue: Issue): ApiErrorEntry {
  const parameter = issue.path.map(String).join('.');
  const [code, fault] = faultOf(issue);
  return {code, detail: `The value for ${parameter} ${fault}.`, parameter};
}

/** The service's code, and the words that follow the name of the parameter. */
function faultOf({code, input, origin, minimum, maximum, message, values}: Issue): [code: string, words: string] {
  if (input === undefined || input === null || input === '') return ['parameter_required', 'cannot be blank'];
  const numeric = origin === 'number' || origin === 'int';
  if (code === 'invalid_type') return ['parameter_type_invalid', `is of the wrong type. ${message}`];
  if (code === 'too_small' && numeric) return ['parameter_below_minimum', `cannot be less than ${String(minimum)}`];
  if (code === 'too_big')
    return ['parameter_above_maximum', `cannot be ${numeric ? 'more' : 'longer'} than ${String(maximum)}`];
  if (code === 'invalid_value') return ['parameter_invalid', `must be one of ${(values ?? []).map(String).join(', ')}`];
  return ['parameter_invalid', `is not valid. ${message}`];
}
