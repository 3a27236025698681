// Short forms of JSON Schema for the --json output of commands. cli/help/schemas.ts makes documents of them.

/** JSON Schema 2020-12. */
export type Schema = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, Schema>>;

export const anything: Schema = {};
export const text: Schema = {type: 'string'};
export const integer: Schema = {type: 'integer'};
export const number: Schema = {type: 'number'};
export const boolean: Schema = {type: 'boolean'};

export const nullable = (schema: Schema): Schema =>
  'type' in schema ? {...schema, type: [schema.type, 'null'].flat()} : either(schema, {type: 'null'});
export const constant = (value: boolean | string): Schema => ({const: value});
export const list = (items: Schema): Schema => ({type: 'array', items});
export const either = (...schemas: readonly Schema[]): Schema => ({anyOf: schemas});
export const mapOf = (values: Schema): Schema => ({type: 'object', additionalProperties: values});

/** An object, which may have more fields than these. */
export const record = (fields: Properties, optional: Properties = {}): Schema => ({
  type: 'object',
  properties: {...fields, ...optional},
  required: Object.keys(fields),
});

/** An object of the contract. @param name its `resource`: `billing_statement` */
export const objectNamed = (name: string): Schema => ({$ref: `#/$defs/${name}`});

/** The envelope of a list. The service also returns `has_more` as 0 or 1. */
export const page = (items: Schema, more: Properties = {}, optional: Properties = {}): Schema =>
  record({resource: constant('list'), has_more: {enum: [true, false, 0, 1]}, ...more, data: list(items)}, optional);

/** The requests that --dry-run prints. */
export const dryRun = record({
  dry_run: constant(true),
  requests: list(record({method: text, url: text, headers: mapOf(text), body: nullable(text)})),
});
