// Creates the schemas of requests from the contract's fields on first use.

import * as z from 'zod/mini';
import english from 'zod/v4/locales/en.js';
import {EMAIL_ADDRESS} from '../common/email-address.js';
import {isJsonObject} from '../common/json.js';
import type {Field, Fields} from './fields.js';

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
