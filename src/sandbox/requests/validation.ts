// Holds parameters against the contract, and says what is wrong in the service's own codes.

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

/** Made once for each operation: making a schema takes longer than the whole rest of a request. */
function schemaOf(fields: Fields): ReturnType<typeof requestSchema> {
  const schema = schemas.get(fields) ?? requestSchema(fields);
  schemas.set(fields, schema);
  return schema;
}

/**
 * The known parameters, checked. Unknown ones are dropped without a word, as the service does with `due_at` on create.
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
  const {code, detail} = wordsOf(issue, parameter);
  return {code, detail, parameter};
}

function wordsOf(issue: Issue, parameter: string): {code: string; detail: string} {
  const blank = issue.input === undefined || issue.input === null || issue.input === '';
  if (blank) return {code: 'parameter_required', detail: `The value for ${parameter} cannot be blank.`};
  const numeric = issue.origin === 'number' || issue.origin === 'int';
  if (issue.code === 'invalid_type')
    return {
      code: 'parameter_type_invalid',
      detail: `The value for ${parameter} is of the wrong type. ${issue.message}.`,
    };
  if (issue.code === 'too_small' && numeric)
    return {
      code: 'parameter_below_minimum',
      detail: `The value for ${parameter} cannot be less than ${String(issue.minimum)}.`,
    };
  if (issue.code === 'too_big' && numeric)
    return {
      code: 'parameter_above_maximum',
      detail: `The value for ${parameter} cannot be more than ${String(issue.maximum)}.`,
    };
  if (issue.code === 'too_big')
    return {
      code: 'parameter_above_maximum',
      detail: `The value for ${parameter} cannot be longer than ${String(issue.maximum)}.`,
    };
  if (issue.code === 'invalid_value')
    return {
      code: 'parameter_invalid',
      detail: `The value for ${parameter} must be one of ${issue.values?.map(String).join(', ')}.`,
    };
  return {code: 'parameter_invalid', detail: `The value for ${parameter} is not valid. ${issue.message}.`};
}
