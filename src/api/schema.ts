// Creates schemas from the contract's fields on first use: strict for requests, lenient for responses.

import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import {EMAIL_ADDRESS} from '../common/email-address.js';
import {isJsonObject} from '../common/json.js';
import type {Field, Fields} from './fields.js';
import type {Shape} from './operation.js';

// zod/mini loads in half the time of zod, but has no built-in error messages.
z.config({...english(), jitless: true});

const nonEmpty = z.string().check(z.minLength(1));

/** Parses a map, because zod drops the key `__proto__` from a record. */
const metadata = z.pipe(
  z.transform((given) => (isJsonObject(given) ? new Map(Object.entries(given)) : given)),
  z.pipe(
    z.map(nonEmpty, z.pipe(z.union([z.string(), z.number(), z.boolean()]), z.transform(String))),
    z.transform((map) => Object.fromEntries(map)),
  ),
);

const ifSet = <Bound, Check>(bound: Bound | undefined, check: (bound: Bound) => Check): Check[] =>
  bound === undefined ? [] : [check(bound)];

function requestField(field: Field): z.ZodMiniType {
  switch (field.kind) {
    case 'boolean':
      return z.boolean();
    case 'centavos':
    case 'integer':
    case 'timestamp':
      return z.int().check(...ifSet(field.min, z.minimum), ...ifSet(field.max, z.maximum));
    case 'choice':
    case 'currency':
      return z.enum(field.choices as [string, ...string[]]);
    case 'email':
      return z.string().check(z.regex(EMAIL_ADDRESS, 'Invalid email address'));
    case 'hash':
      return requestSchema(field.fields!);
    case 'id':
      return z.string().check(z.regex(new RegExp(`^${field.prefix}[A-Za-z0-9]+$`)));
    case 'items':
      return z.array(requestSchema(field.fields!)).check(z.minLength(1));
    case 'list':
      if (field.areNumbers) return z.array(z.literal(field.choices!.map(Number))).check(z.minLength(1));
      return z.array(field.choices ? z.enum(field.choices as [string, ...string[]]) : nonEmpty).check(z.minLength(1));
    case 'metadata':
      return metadata;
    case 'related':
      return z.unknown();
    case 'url':
      return z.url({protocol: /^https?$/});
    case 'secret':
    case 'text':
      return z
        .string()
        .check(
          ...ifSet(field.required ? 1 : undefined, z.minLength),
          ...ifSet(field.maxLength, z.maxLength),
          ...ifSet(field.pattern, z.regex),
        );
  }
}

/** Caches schemas, because creating a schema takes longer than a request to the sandbox. */
function cached<Key extends object, Schema extends z.ZodMiniType>(create: (key: Key) => Schema): (key: Key) => Schema {
  const created = new WeakMap<Key, Schema>();
  return (key) => {
    const schema = created.get(key) ?? create(key);
    created.set(key, schema);
    return schema;
  };
}

/** Unknown keys pass through. */
export const requestSchema = cached((fields: Fields): z.ZodMiniType<Record<string, unknown>> =>
  z.looseObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const schema = requestField(field);
        return [name, field.required ? schema : z.nullish(schema)];
      }),
    ),
  ),
);

/**
 * Checks only the id, the kind, and that amounts are whole centavos. Other fields of a response may change.
 * Callers use the response itself, because the parsed output lacks the other fields.
 */
const objectSchema = cached((shape: Shape): z.ZodMiniType => {
  const amounts = Object.entries(shape.fields).filter(([, field]) => field.kind === 'centavos');
  return z.object({
    id: z
      .string()
      .check(
        shape.oldPrefix ? z.regex(new RegExp(`^(${shape.prefix}|${shape.oldPrefix})`)) : z.startsWith(shape.prefix),
      ),
    resource: z.optional(z.literal(shape.name)),
    ...Object.fromEntries(amounts.map(([name]) => [name, z.nullish(z.int())])),
  });
});

const pageSchema = cached((shape: Shape): z.ZodMiniType =>
  z.object({data: z.array(objectSchema(shape)), has_more: z.union([z.boolean(), z.literal(0), z.literal(1)])}),
);

/** Returns the first fault of an object, with its field; undefined for a good one. */
export const faultOf = (value: unknown, shape: Shape): string | undefined => faultBy(objectSchema(shape), value);

export const faultOfPage = (value: unknown, shape: Shape): string | undefined => faultBy(pageSchema(shape), value);

function faultBy(schema: z.ZodMiniType, value: unknown): string | undefined {
  const issue = schema.safeParse(value).error?.issues[0];
  return (
    issue &&
    `${issue.path.map(String).join('.') || 'it'}: ${issue.message.replace('received undefined', 'but it is missing')}`
  );
}
