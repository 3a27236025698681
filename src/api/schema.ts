// Schemas made from the contract's fields, when first asked for: strict for requests, open for answers.

import {z} from 'zod';
import type {Field, Fields} from './fields.js';
import type {Shape} from './operation.js';

const centavos = z.number().int().refine(Number.isSafeInteger);

function requestField(field: Field): z.ZodType {
  switch (field.kind) {
    case 'boolean':
      return z.boolean();
    case 'centavos':
    case 'integer':
    case 'timestamp': {
      let number = z.int();
      if (field.min !== undefined) number = number.min(field.min);
      if (field.max !== undefined) number = number.max(field.max);
      return number;
    }
    case 'choice':
    case 'currency':
      return z.enum(field.choices as [string, ...string[]]);
    case 'email':
      return z.email();
    case 'hash':
      return requestSchema(field.fields!);
    case 'id':
      return z.string().regex(new RegExp(`^${field.prefix}[A-Za-z0-9]+$`));
    case 'items':
      return z.array(requestSchema(field.fields!)).min(1);
    case 'list':
      return z.array(field.choices ? z.enum(field.choices as [string, ...string[]]) : z.string().min(1)).min(1);
    case 'metadata':
      return z.record(z.string().min(1), z.union([z.string(), z.number(), z.boolean()]).transform(String));
    case 'related':
      return z.unknown();
    case 'url':
      return z.url({protocol: /^https?$/});
    case 'secret':
    case 'text': {
      let string = z.string();
      if (field.required) string = string.min(1);
      if (field.maxLength !== undefined) string = string.max(field.maxLength);
      if (field.pattern) string = string.regex(field.pattern);
      return string;
    }
  }
}

/** Creating a schema takes longer than a whole request to the sandbox, so each is created once, when it is first needed. */
function once<Key extends object, Schema extends z.ZodType>(create: (key: Key) => Schema): (key: Key) => Schema {
  const created = new WeakMap<Key, Schema>();
  return (key) => {
    const schema = created.get(key) ?? create(key);
    created.set(key, schema);
    return schema;
  };
}

/** What a request with these fields must look like; keys that are not in the contract pass through. */
export const requestSchema = once((fields: Fields): z.ZodType<Record<string, unknown>> =>
  z.looseObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => {
        const schema = requestField(field);
        return [name, field.required ? schema : schema.nullish()];
      }),
    ),
  ),
);

/**
 * The minimum that an answer must satisfy: the right kind of object with an id, and whole numbers for money.
 * Everything else may change: the schema only checks, and what it parses to is not used.
 */
export const answerSchema = once((shape: Shape): z.ZodType => {
  const amounts = Object.entries(shape.fields).filter(([, field]) => field.kind === 'centavos');
  return z.object({
    id: z.string().startsWith(shape.prefix),
    resource: z.literal(shape.name).optional(),
    ...Object.fromEntries(amounts.map(([name]) => [name, centavos.nullish()])),
  });
});

/** A page of such objects. */
export const pageSchema = once((shape: Shape): z.ZodType =>
  z.object({data: z.array(answerSchema(shape)), has_more: z.union([z.boolean(), z.literal(0), z.literal(1)])}),
);
