// Decodes request parameters from JSON, forms or queries, and validates them by the contract.

import type {Field, Fields} from '../../api/fields.js';
import type {ApiRequest} from '../../api/wire.js';
import {setAtPath} from '../../common/brackets.js';
import {EMAIL_ADDRESS} from '../../common/email-address.js';
import {isJsonObject, jsonType, readJson, UnreadableJson} from '../../common/json.js';
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

interface Fault {
  readonly code: string;
  readonly detail: string;
  readonly parameter: string;
}

/** Drops unknown parameters silently, as the service does with `due_at` on create. */
export function validate(params: Record<string, unknown>, fields: Fields): Record<string, unknown> {
  const faults: Fault[] = [];
  const known = validFields(params, fields, [], faults);
  if (faults.length === 0) return known;
  throw new ApiProblem(400, faults);
}

type Path = readonly (number | string)[];

function validFields(params: ParsedParams, fields: Fields, path: Path, faults: Fault[]): ParsedParams {
  const named = Object.entries(fields).filter(([name, {required}]) => required || params[name] !== undefined);
  return Object.fromEntries(
    named.map(([name, field]) => [name, validValue(params[name], field, [...path, name], faults)]),
  );
}

/** Returns the value to store, and adds a fault for each part that the field does not take. */
function validValue(value: unknown, field: Field, path: Path, faults: Fault[]): unknown {
  if (value === null && !field.required) return value;
  const {kind, choices, min = -Infinity, max = Infinity, maxLength = Infinity, pattern} = field;
  const fail = (code: string, fault: string, given = value, at = path): void => {
    const isBlank = given === undefined || given === null || given === '';
    const [named, words] = isBlank ? ['required', 'cannot be blank'] : [code, fault];
    const parameter = at.join('.');
    faults.push({code: `parameter_${named}`, detail: `The value for ${parameter} ${words}.`, parameter});
  };
  const failType = (type: string): void =>
    fail('type_invalid', `is of the wrong type. Invalid input: expected ${type}, received ${jsonType(value)}`);
  const isText = typeof value === 'string';
  switch (kind) {
    case 'boolean':
      if (typeof value !== 'boolean') failType('boolean');
      return value;
    case 'centavos':
    case 'integer':
    case 'timestamp': {
      const [least, most] = [Math.max(min, Number.MIN_SAFE_INTEGER), Math.min(max, Number.MAX_SAFE_INTEGER)];
      if (!Number.isInteger(value)) failType(typeof value === 'number' ? 'int' : 'number');
      else if ((value as number) < least) fail('below_minimum', `cannot be less than ${least}`);
      else if ((value as number) > most) fail('above_maximum', `cannot be more than ${most}`);
      return value;
    }
    case 'choice':
    case 'currency':
      if (!choices!.some((choice) => value === (field.areNumbers ? Number(choice) : choice)))
        fail('invalid', `must be one of ${choices!.join(', ')}`);
      return value;
    case 'hash':
    case 'metadata': {
      if (!isJsonObject(value)) return failType('object');
      if (kind === 'metadata') return Object.fromEntries(Object.entries(value).map(metadatum));
      const others = Object.entries(value).filter(
        ([name]) => !Object.hasOwn(field.fields!, name) && name !== '__proto__',
      );
      return {...validFields(value, field.fields!, path, faults), ...Object.fromEntries(others)};
    }
    case 'items':
    case 'list': {
      if (!Array.isArray(value)) return failType('array');
      if (value.length === 0) fail('invalid', 'is not valid. Too small: expected array to have >=1 items');
      const each = {...field, kind: kind === 'items' ? 'hash' : choices ? 'choice' : 'text', required: true} as const;
      return value.map((item, at) => validValue(item, each, [...path, at], faults));
    }
    case 'related':
      return value;
    case 'url': {
      if (!isText) return failType('string');
      const address = value.trim();
      if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) fail('invalid', 'is not valid. Invalid URL');
      return address.replaceAll(/[\t\n\r]/g, '');
    }
    default: {
      const isEmail = kind === 'email';
      const form = isEmail ? EMAIL_ADDRESS : kind === 'id' ? new RegExp(`^${field.prefix}[A-Za-z0-9]+$`) : pattern;
      if (!isText) failType('string');
      else if (field.required && value === '') fail('required', '');
      else if (value.length > maxLength && [...value].length > maxLength)
        fail('above_maximum', `cannot be longer than ${maxLength}`);
      else if (form && !form.test(value))
        fail('invalid', `is not valid. Invalid ${isEmail ? 'email address' : `string: must match pattern ${form}`}`);
      return value;
    }
  }

  function metadatum([name, each]: [string, unknown]): [string, string] {
    if (name === '') fail('required', '', name, [...path, name]);
    if (!['string', 'number', 'boolean'].includes(typeof each))
      fail('invalid', 'is not valid. Invalid input', each, [...path, name]);
    return [name, String(each)];
  }
}
