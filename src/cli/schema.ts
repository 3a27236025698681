// Declares the output of commands once: the JSON Schema of a field, its type, and how its value is shown.
// cli/records.ts derives columns, CSV and results, and cli/help/schemas.ts the documents of --schema.

import type {ResultColumn} from '../output/result.js';

/** Key for the display of a field. JSON omits symbols, so printed schemas lack this key. */
export const SHOWN = Symbol('shown');
declare const VALUE: unique symbol;

/** JSON Schema 2020-12 of a value of type `Value`. */
export interface Schema<Value = unknown> {
  readonly [keyword: string]: unknown;
  readonly [SHOWN]?: Partial<ResultColumn>;
  readonly [VALUE]?: Value;
}
type SchemaFields = Readonly<Record<string, Schema>>;

export type SchemaValue<S> = S extends Schema<infer Value> ? Value : never;
type ValuesOf<F extends SchemaFields> = {readonly [K in keyof F]: SchemaValue<F[K]>};

export interface RecordSchema<R = object> extends Schema<R> {
  readonly properties: SchemaFields;
}

/** Returns the schema with another header or display. */
export const shownAs = <Value>(schema: Schema<Value>, how: Partial<ResultColumn>): Schema<Value> => ({
  ...schema,
  [SHOWN]: {...schema[SHOWN], ...how},
});
export const titled = <Value>(header: string, schema: Schema<Value>): Schema<Value> => shownAs(schema, {header});

export const anything: Schema = {};
export const text: Schema<string> = {type: 'string'};
/** A status word: coloured, and never wrapped. */
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
export const choice = <const Value extends string>(...values: readonly Value[]): Schema<Value> => ({
  enum: values,
});
export const list = <Value>(items: Schema<Value>): Schema<readonly Value[]> => ({
  type: 'array',
  items,
  ...(items.type !== 'string' && {[SHOWN]: {kind: 'object'}}),
});
export const either = <S extends readonly Schema[]>(...schemas: S): Schema<SchemaValue<S[number]>> => ({
  anyOf: schemas,
});
export const map = <Value>(values: Schema<Value>): Schema<Readonly<Record<string, Value>>> => ({
  type: 'object',
  additionalProperties: values,
});

type Words<T extends string> = T extends `${infer First} ${infer Rest}` ? First | Words<Rest> : T;

/** Returns fields with the same schema. @param names with spaces between */
export const fieldsNamed = <const Names extends string, S extends Schema>(names: Names, field: S) =>
  Object.fromEntries(names.split(' ').map((name) => [name, field])) as {readonly [K in Words<Names>]: S};

/** Returns the schema of an object, which may have other fields. */
export const record = <const F extends SchemaFields, const O extends SchemaFields = {}>(
  fields: F,
  optional?: O,
): RecordSchema<ValuesOf<F> & Partial<ValuesOf<O>>> => ({
  type: 'object',
  properties: {...fields, ...optional},
  required: Object.keys(fields),
});

/** Returns a reference to the schema of an API object. @param name its `resource`: `billing_statement` */
export const objectNamed = (name: string): Schema => ({$ref: `#/$defs/${name}`});

/** Returns the schema of a page of a list. The API also returns `has_more` as 0 or 1. */
export const page = (items: Schema, more: SchemaFields = {}, optional: SchemaFields = {}): Schema =>
  record({resource: constant('list'), has_more: {enum: [true, false, 0, 1]}, ...more, data: list(items)}, optional);

/** Returns the document of a list: the same shape for every command that answers with several. */
export const listDocument = <Row>(data: readonly Row[], hasMore = false) =>
  ({resource: 'list', has_more: hasMore, data}) as const;

export const request = record({
  method: text,
  url: text,
  headers: map(text),
  body: nullable(text),
});
export const dryRun = record({dry_run: constant(true), requests: list(request)});
