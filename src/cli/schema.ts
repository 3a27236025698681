// Words to declare what commands print, once: the JSON Schema of a field, its type, and how its value is shown.
// cli/records.ts makes columns, CSV and results of a record, and cli/help/schemas.ts the documents of --schema.

import type {Column} from '../output/result.js';

/** How a field is shown. JSON leaves symbols out, so it is no part of the schema. */
export const SHOWN = Symbol('shown');
declare const VALUE: unique symbol;

/** JSON Schema 2020-12, of a value of this type. */
export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown;
  readonly [SHOWN]?: Partial<Column>;
  readonly [VALUE]?: Value;
}
type Fields = Readonly<Record<string, Schema>>;

export type ValueOf<S> = S extends Schema<infer Value> ? Value : never;
type ValuesOf<F extends Fields> = {readonly [K in keyof F]: ValueOf<F[K]>};

/** The schema of an object with these fields. */
export interface RecordSchema<R = object> extends Schema<R> {
  readonly properties: Fields;
}

/** The field with another header, or shown in another way. */
export const shownAs = <Value>(schema: Schema<Value>, how: Partial<Column>): Schema<Value> => ({
  ...schema,
  [SHOWN]: {...schema[SHOWN], ...how},
});
export const titled = <Value>(header: string, schema: Schema<Value>): Schema<Value> => shownAs(schema, {header});

export const anything: Schema = {};
export const text: Schema<string> = {type: 'string'};
/** A word that is never wrapped, with a colour of its own. */
export const status = shownAs(text, {kind: 'status'});
export const integer: Schema<number> = {type: 'integer'};
export const centavos = shownAs(integer, {kind: 'centavos'});
/** Unix seconds. */
export const timestamp = shownAs(integer, {kind: 'timestamp'});
export const number: Schema<number> = {type: 'number'};
export const boolean: Schema<boolean> = shownAs({type: 'boolean'}, {kind: 'boolean'});

export const nullable = <Value>(schema: Schema<Value>): Schema<Value | null> =>
  'type' in schema ? {...schema, type: [schema.type, 'null'].flat()} : either(schema, {type: 'null'} as Schema<null>);
export const constant = <const Value extends boolean | string>(value: Value): Schema<Value> => ({const: value});
export const choice = <const Value extends string>(...values: readonly Value[]): Schema<Value> => ({enum: values});
export const list = <Value>(items: Schema<Value>): Schema<readonly Value[]> => ({
  type: 'array',
  items,
  ...(items.type !== 'string' && {[SHOWN]: {kind: 'object'}}),
});
export const either = <S extends readonly Schema[]>(...schemas: S): Schema<ValueOf<S[number]>> => ({anyOf: schemas});
export const mapOf = <Value>(values: Schema<Value>): Schema<Readonly<Record<string, Value>>> => ({
  type: 'object',
  additionalProperties: values,
});

/** An object, which may have more fields than these. */
export const record = <const F extends Fields, const O extends Fields = {}>(
  fields: F,
  optional?: O,
): RecordSchema<ValuesOf<F> & Partial<ValuesOf<O>>> => ({
  type: 'object',
  properties: {...fields, ...optional},
  required: Object.keys(fields),
});

/** An object of the contract. @param name its `resource`: `billing_statement` */
export const objectNamed = (name: string): Schema => ({$ref: `#/$defs/${name}`});

/** The envelope of a list. The service also returns `has_more` as 0 or 1. */
export const page = (items: Schema, more: Fields = {}, optional: Fields = {}): Schema =>
  record({resource: constant('list'), has_more: {enum: [true, false, 0, 1]}, ...more, data: list(items)}, optional);

/** What --dry-run prints. */
export const request = record({method: text, url: text, headers: mapOf(text), body: nullable(text)});
export const dryRun = record({dry_run: constant(true), requests: list(request)});
