// The fields of the contract as flags, and the values of flags as parameters. One rule for each kind of field.

import type {Field, Fields} from '../../api/fields.js';
import {usageError} from '../../ground/errors.js';
import {formatPesos} from '../../ground/pesos.js';
import {parseDate} from '../../input/dates.js';
import {parseItem} from '../../input/items.js';
import {parseCentavos, parsePesos, quote} from '../../input/money.js';
import {readEmail} from '../../input/names.js';
import {parsePairs} from '../../input/pairs.js';
import {Flags, type Interfaces} from '../oclif.js';
import {readReference} from '../references/references.js';
import {checkEventName} from './event-names.js';

export interface FlagSpec {
  /** Without dashes. */
  readonly flag: string;
  /** The place of the value in the parameters. */
  readonly path: readonly string[];
  readonly field: Field;
}

export const dataFlag = {
  data: Flags.string({
    char: 'd',
    summary: 'Set a parameter that has no flag: key=value, key[sub]=value, @file.json, or - for stdin.',
    helpValue: '<key=value>',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

const kebab = (name: string): string => name.replaceAll('_', '-');

/** `customer_id` is `--customer`, `due_at` is `--due`; others keep their names. */
function flagName(name: string, field: Field): string {
  if (field.kind === 'id') return kebab(name.replace(/_id$/, ''));
  if (field.kind === 'timestamp') return kebab(name.replace(/_at$/, ''));
  if (field.kind === 'items') return 'item';
  return kebab(name);
}

/** Hashes are flattened. There is only one currency, so it has no flag. */
export function flagSpecs(params: Fields, path: readonly string[] = []): FlagSpec[] {
  return Object.entries(params).flatMap(([name, field]) => {
    const here = [...path, name];
    if (field.kind === 'currency' || field.kind === 'related') return [];
    if (field.kind === 'hash') return flagSpecs(field.fields!, here);
    return [{flag: flagName(name, field), path: here, field}];
  });
}

type AnyFlag = Interfaces.Flag<unknown>;

function describe({field}: FlagSpec): string {
  // Amounts are typed in pesos and times as dates, so the units of the API would mislead.
  const plain = field.description.replace(/\.$/, '').replace(/,? in (centavos|unix seconds)\b/, '');
  const bounds =
    field.kind === 'centavos' || field.kind === 'timestamp'
      ? []
      : [
          field.min !== undefined && `from ${field.min}`,
          field.max !== undefined && `to ${field.max}`,
          field.maxLength !== undefined && `at most ${field.maxLength} characters`,
        ].filter(Boolean);
  const unit = field.kind === 'centavos' ? ', in pesos: 1,250.50' : '';
  const more = field.events ? ' To use a new event name that looks misspelled: --data events[]=…' : '';
  return `${plain}${unit}${bounds.length > 0 ? ` (${bounds.join(' ')})` : ''}.${field.required ? ' Required.' : ''}${more}`;
}

/** Placeholders in help; `<text>` for other kinds. */
const HELP_VALUES: Partial<Record<Field['kind'], string>> = {
  centavos: '<pesos>',
  timestamp: '<date>',
  integer: '<number>',
  list: '<a,b>',
  metadata: '<key=value>',
  items: '<text x2 @ pesos>',
  email: '<address>',
  url: '<url>',
};

/** Values stay text for oclif; {@link readFlags} reads them. */
export function oclifFlags(specs: readonly FlagSpec[]): Record<string, AnyFlag> {
  const flags: Record<string, AnyFlag> = {};
  for (const spec of specs) {
    const {flag, field} = spec;
    flags[flag] = oclifFlag(spec);
    if (field.kind === 'centavos')
      flags[`${flag}-centavos`] = Flags.string({
        summary: `Same as --${flag}, in centavos: 125050.`,
        helpValue: '<centavos>',
        exclusive: [flag],
      }) as AnyFlag;
  }
  return flags;
}

function oclifFlag(spec: FlagSpec): AnyFlag {
  const {kind, choices = [], prefix} = spec.field;
  const summary = describe(spec);
  if (kind === 'boolean') return Flags.boolean({summary, allowNo: true}) as AnyFlag;
  if (kind === 'choice') return Flags.string({summary, options: [...choices]}) as AnyFlag;
  const plain = kind === 'id' ? `<${prefix}…>` : (HELP_VALUES[kind] ?? '<text>');
  const text = {
    summary: kind === 'items' ? `${summary} Repeatable.` : summary,
    helpValue: kind === 'list' && choices.length > 0 ? `<${choices.join(',')}>` : plain,
  };
  const isRepeatable = kind === 'items' || kind === 'list' || kind === 'metadata';
  return (
    isRepeatable ? Flags.string({...text, multiple: true, multipleNonGreedy: true}) : Flags.string(text)
  ) as AnyFlag;
}

type FlagValue = boolean | string | readonly string[];
/** Flags by name, as oclif parses them. */
export type FlagValues = Readonly<Record<string, FlagValue | undefined>>;

/** Parameters from parsed flags. @param now unix seconds, for relative dates */
export function readFlags(specs: readonly FlagSpec[], flags: FlagValues, now: number): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const spec of specs) {
    const {flag, field, path} = spec;
    const given = flags[flag];
    const inCentavos = field.kind === 'centavos' ? flags[`${flag}-centavos`] : undefined;
    if (inCentavos !== undefined) {
      const name = `--${flag}-centavos`;
      put(params, path, bounded(parseCentavos(String(inCentavos), name), field, `${name} ${inCentavos}`));
    } else if (given !== undefined) put(params, path, readValue(spec, given, now));
  }
  return params;
}

function put(target: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value;
  else put((target[key!] ??= {}) as Record<string, unknown>, rest, value);
}

export function readValue({flag, field}: FlagSpec, given: FlagValue, now: number): unknown {
  const name = `--${flag}`;
  const texts = Array.isArray(given) ? given.map(String) : [String(given)];
  const text = texts.join();
  switch (field.kind) {
    case 'centavos':
      return bounded(parsePesos(text, name), field, `${name} ${text}`);
    case 'timestamp':
      return parseDate(text, name, now);
    case 'integer':
      return bounded(integer(text, name), field, `${name} ${text}`);
    case 'boolean':
    case 'choice':
      return given;
    case 'list':
      return listOf(texts, field, name);
    case 'metadata':
      return parsePairs(texts, name);
    case 'items':
      return texts.map((item) => itemOf(parseItem(item, name), field));
    case 'id':
      // A number or a name is looked up once all other flags are valid.
      return readReference(text, field.prefix!, name).text;
    case 'email':
      return readEmail(text, name);
    case 'url':
      return urlOf(text, name);
    default:
      return textOf(text, field, name);
  }
}

function integer(text: string, name: string): number {
  if (!/^-?\d{1,15}$/.test(text.trim()))
    throw usageError(`${name} ${quote(text)} is not a whole number.`, {code: 'invalid_number'});
  return Number(text);
}

function bounded(value: number, {min, max, kind}: Field, shown: string): number {
  const words = (bound: number) => (kind === 'centavos' ? formatPesos(bound) : String(bound));
  if (min !== undefined && value < min)
    throw usageError(`${shown} is below the minimum of ${words(min)}.`, {code: 'below_minimum'});
  if (max !== undefined && value > max)
    throw usageError(`${shown} is above the maximum of ${words(max)}.`, {code: 'above_maximum'});
  return value;
}

function listOf(texts: readonly string[], field: Field, name: string): string[] {
  const values = [
    ...new Set(
      texts
        .flatMap((text) => text.split(','))
        .map((value) => value.trim())
        .filter(Boolean),
    ),
  ];
  if (values.length === 0) throw usageError(`${name} is empty.`, {code: 'invalid_list'});
  const unknown = field.choices && values.find((value) => !field.choices!.includes(value));
  if (unknown)
    throw usageError(`${name} ${quote(unknown)} is not one of ${field.choices!.join(', ')}.`, {code: 'invalid_choice'});
  if (field.events) for (const value of values) checkEventName(value, {flag: name, otherwise: asData});
  return values;
}

const asData = (event: string): string => `If it is a new event: --data 'events[]=${event}'`;

/** A line item under the names of the resource. */
function itemOf(item: {text: string; quantity: number; unitPrice: number}, field: Field): object {
  return 'unit_price' in field.fields!
    ? {description: item.text, unit_price: item.unitPrice, quantity: item.quantity}
    : {name: item.text, amount: item.unitPrice, quantity: item.quantity};
}

function urlOf(text: string, name: string): string {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw usageError(`${name} ${quote(text)} is not an http or https URL.`, {
      code: 'invalid_url',
      hint: `For example: ${name} https://example.com/done`,
    });
  }
  return text;
}

function textOf(text: string, {maxLength, pattern, required}: Field, name: string): string {
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength)
    throw usageError(`${name} is ${length} characters; the limit is ${maxLength}.`, {code: 'too_long'});
  if (required && text.trim() === '') throw usageError(`${name} is empty.`, {code: 'empty'});
  if (pattern && !pattern.test(text))
    throw usageError(`${name} ${quote(text)} does not match ${pattern.source}.`, {code: 'invalid_text'});
  return text;
}
