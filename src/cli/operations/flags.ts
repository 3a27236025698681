// Converts fields of the contract to flags, and flag values to parameters, with one rule per kind of field.

import type {Field, Fields} from '../../api/fields.js';
import {formatPesos} from '../../common/pesos.js';
import {readDate} from '../../input/dates.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {readItem, type StatementItem} from '../../input/items.js';
import {readCentavos, readPesos, quote} from '../../input/money.js';
import {readEmail} from '../../input/email-address.js';
import {readPairs} from '../../input/pairs.js';
import {Flags, type Interfaces, repeatable} from '../oclif.js';
import {readReference} from '../references/references.js';
import {eventNameError} from './event-names.js';

export interface FlagSpec {
  readonly flag: string;
  readonly path: readonly string[];
  readonly field: Field;
}

export const allowDuplicateFlag = Flags.boolean({summary: 'Allow the same bill, email or refund again.'});

export const idempotencyKeyFlag = {
  'idempotency-key': Flags.string({
    summary: 'Your name for this change: the same again only prints its result.',
    helpValue: '<key>',
  }),
};

export const allowOwedFlag = {
  'allow-owed': Flags.boolean({summary: 'Without a question, also delete a customer who owes you.'}),
};

export const dataFlag = {
  data: Flags.string({
    char: 'd',
    summary: 'Set a parameter that has no flag: key=value, key[sub]=value, @file.json, or - for stdin.',
    helpValue: '<key=value>',
    ...repeatable,
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

/** Returns the flags of parameters, with hashes flattened. The only currency needs no flag. */
export function flagSpecs(params: Fields, path: readonly string[] = []): FlagSpec[] {
  return Object.entries(params).flatMap(([name, field]) => {
    const fullPath = [...path, name];
    if (field.kind === 'currency' || field.kind === 'related') return [];
    if (field.kind === 'hash') return flagSpecs(field.fields!, fullPath);
    return [{flag: flagName(name, field), path: fullPath, field}];
  });
}

type AnyFlag = Interfaces.Flag<unknown>;

function describe({field}: FlagSpec): string {
  // Users type amounts in pesos and times as dates, so the API's units would mislead.
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

/** Returns flags whose values stay text for oclif; {@link readFlags} reads the values. */
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
  return (isRepeatable ? Flags.string({...text, ...repeatable}) : Flags.string(text)) as AnyFlag;
}

type FlagValue = boolean | string | readonly string[];
export type FlagValues = Readonly<Record<string, FlagValue | undefined>>;

export function readFlags(specs: readonly FlagSpec[], flags: FlagValues, now: number): Record<string, unknown> {
  const params: Record<string, unknown> = {};
  for (const spec of specs) {
    const {flag, field, path} = spec;
    const given = flags[flag];
    const inCentavos = field.kind === 'centavos' ? flags[`${flag}-centavos`] : undefined;
    if (inCentavos !== undefined) {
      const centavos = bounded(readCentavos(String(inCentavos)), field, String(inCentavos));
      put(params, path, valueOrThrow(centavos, `--${flag}-centavos`));
    } else if (given !== undefined) {
      // The error for a reference is a whole sentence, which needs no flag name.
      const place = field.kind === 'id' ? '' : `--${flag}`;
      put(params, path, valueOrThrow(readValue(spec, given, now), place));
    }
  }
  return params;
}

function put(target: Record<string, unknown>, [key, ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) target[key!] = value;
  else put((target[key!] ??= {}) as Record<string, unknown>, rest, value);
}

/** Returns the value of the parameter, or an {@link InvalidInput}. */
export function readValue({field}: FlagSpec, given: FlagValue, now: number): unknown {
  const texts = Array.isArray(given) ? given.map(String) : [String(given)];
  const text = texts.join();
  switch (field.kind) {
    case 'centavos':
      return bounded(readPesos(text), field, text);
    case 'timestamp':
      return readDate(text, now);
    case 'integer':
      return bounded(integerFlag(text), field, text);
    case 'boolean':
    case 'choice':
      return given;
    case 'list':
      return listOf(texts, field);
    case 'metadata':
      return readPairs(texts);
    case 'items': {
      const items = texts.map(readItem);
      return (
        items.find((item) => item instanceof InvalidInput) ??
        items.map((item) => lineItemOf(item as StatementItem, field))
      );
    }
    case 'id': {
      // Numbers and names are looked up once all other flags are valid.
      const reference = readReference(text, field.prefix!);
      return reference instanceof InvalidInput ? reference : `${reference.text}${reference.isCut ? '…' : ''}`;
    }
    case 'email':
      return readEmail(text);
    case 'url':
      return urlOf(text);
    default:
      return flagText(text, field);
  }
}

const integerFlag = (text: string): InvalidInput | number =>
  /^-?\d{1,15}$/.test(text.trim())
    ? Number(text)
    : new InvalidInput(`${quote(text)} is not a whole number.`, {code: 'invalid_number'});

function bounded(value: InvalidInput | number, {min, max, kind}: Field, typed: string): InvalidInput | number {
  if (value instanceof InvalidInput) return value;
  const words = (bound: number) => (kind === 'centavos' ? formatPesos(bound) : String(bound));
  if (min !== undefined && value < min)
    return new InvalidInput(`${typed} is below the minimum of ${words(min)}.`, {code: 'below_minimum'});
  if (max !== undefined && value > max)
    return new InvalidInput(`${typed} is above the maximum of ${words(max)}.`, {code: 'above_maximum'});
  return value;
}

function listOf(
  texts: readonly string[],
  {choices, areNumbers, events}: Field,
): InvalidInput | readonly (number | string)[] {
  const typed = texts.flatMap((text) => text.split(',')).map((value) => value.trim());
  const values = [...new Set(typed.filter(Boolean))];
  if (values.length === 0) return new InvalidInput('is empty.', {code: 'invalid_list'});
  const unknown = choices && values.find((value) => !choices.includes(value));
  if (unknown)
    return new InvalidInput(`${quote(unknown)} is not one of ${choices.join(', ')}.`, {code: 'invalid_choice'});
  const misspelled = events && values.map((value) => eventNameError(value, newEventHint)).find(Boolean);
  return misspelled || (areNumbers ? values.map(Number) : values);
}

const newEventHint = (event: string): string => `If it is a new event: --data 'events[]=${event}'`;

function lineItemOf(item: StatementItem, field: Field): object {
  return 'unit_price' in field.fields!
    ? {description: item.description, unit_price: item.unit_price, quantity: item.quantity}
    : {name: item.description, amount: item.unit_price, quantity: item.quantity};
}

function urlOf(text: string): InvalidInput | string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  return new InvalidInput(`${quote(text)} is not an http or https URL.`, {
    code: 'invalid_url',
    hint: (place) => `For example: ${place} https://example.com/done`,
  });
}

function flagText(text: string, {maxLength, pattern, required}: Field): InvalidInput | string {
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength)
    return new InvalidInput(`is ${length} characters; the limit is ${maxLength}.`, {code: 'too_long'});
  if (required && text.trim() === '') return new InvalidInput('is empty.', {code: 'empty'});
  if (pattern && !pattern.test(text))
    return new InvalidInput(`${quote(text)} does not match ${pattern.source}.`, {code: 'invalid_text'});
  return text;
}
