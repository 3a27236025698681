// Builds the JSON Schemas that --schema prints, for a command's --json output and for errors.

import {STATES, UNKNOWNS} from '../../accounting/standing.js';
import {deliveredEventFields} from '../../api/events.js';
import type {Field, Fields} from '../../api/fields.js';
import {shapes} from '../../api/registry.js';
import {EXIT_CODES, usageError} from '../../common/errors.js';
import {toJson} from '../../output/format.js';
import type {CommandClass} from '../base.js';
import {HAND_OVER} from '../operations/hand-over-record.js';
import {
  booleanSchema,
  integerSchema,
  listSchema,
  mapSchema,
  nullableSchema,
  number,
  recordSchema,
  type Schema,
  textSchema,
} from '../schema.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Objects of the contract by name; `event` has no operation. */
const OBJECTS: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ...[...shapes.values()].map(({name, fields}) => [name, fields] as const),
  ['event', deliveredEventFields],
]);

/** Choices become examples, because responses may have values that the contract does not know. */
function fieldSchema(field: Field): Schema {
  switch (field.kind) {
    case 'boolean':
      return booleanSchema;
    case 'centavos':
    case 'integer':
    case 'timestamp':
      return integerSchema;
    case 'choice':
      return {...textSchema, examples: field.choices};
    case 'list':
      return field.areNumbers ? listSchema(integerSchema) : listSchema(textSchema);
    case 'metadata':
      return mapSchema(textSchema);
    case 'related':
      return {description: 'An id, some fields of the object, the whole object, a list of these, or null.'};
    case 'hash':
      return objectSchema(field.fields!);
    case 'items':
      return listSchema(objectSchema(field.fields!));
    default:
      return textSchema;
  }
}

/** Requires only the id, because responses may lack other fields or add fields. */
function objectSchema(fields: Fields): Schema {
  const properties = Object.entries(fields).map(([name, field]) => {
    const schema = fieldSchema(field);
    // An unset time is 0 or null; an unknown amount is null.
    const mayBeNull =
      field.kind === 'timestamp' || field.kind === 'centavos' || (field.nullable && field.kind !== 'related');
    return [name, {description: field.description, ...(mayBeNull ? nullableSchema(schema) : schema)}] as const;
  });
  return {type: 'object', properties: Object.fromEntries(properties), required: fields.id ? ['id'] : []};
}

const MODE: Schema = {...textSchema, description: 'Mode of the account: sandbox, test or live.'};

const definitions = (schema: Schema): Schema =>
  Object.fromEntries(
    [...new Set([...JSON.stringify(schema).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name!))].map((name) => [
      name,
      objectSchema(OBJECTS.get(name)!),
    ]),
  );

/** Returns what --schema or --schema=error prints for a command. @param id `refunds:create` */
export function schemaText(id: string, {output, exits}: CommandClass, flag: string): string {
  if (flag !== '--schema' && flag !== '--schema=error')
    throw usageError('invalid_flag', `${flag} is not a schema.`, {
      hint: 'Use --schema for the output, or --schema=error for errors.',
    });
  const ofOutput = () => outputSchema(id.replaceAll(':', ' '), output?.(), exits.includes('refused'));
  return `${toJson(flag === '--schema' ? ofOutput() : errorSchema(), 2)}\n`;
}

/** @param usesAccount true if the output may name the mode of the account */
export function outputSchema(words: string, output: Schema | undefined, usesAccount = false): Schema {
  const isObject = output !== undefined && (output.type === 'object' || 'anyOf' in output || '$ref' in output);
  const $defs = definitions(output ?? {});
  return {
    $schema: DIALECT,
    title: `centavo ${words} --json`,
    description:
      output === undefined
        ? 'This command does not print JSON.'
        : 'Describes the output without --fields and --jq. New fields may be added, but none is removed within a major version.',
    ...(output ?? {not: {}}),
    ...(usesAccount && isObject && {type: 'object', properties: {...(output?.properties as object), mode: MODE}}),
    ...(Object.keys($defs).length > 0 && {$defs}),
  };
}

const applied = {enum: ['no', 'unknown', 'yes'], description: 'Whether the change was made despite the error.'};
const apiErrors = listSchema(
  recordSchema({code: textSchema, detail: textSchema}, {parameter: nullableSchema(textSchema)}),
);

/** What happened to the money of a refused billing statement. */
const money = {
  state: {enum: STATES, description: 'What happened to the money of the billing statement.'},
  replaced_by: recordSchema({id: textSchema, name: textSchema}),
  unknown: {...listSchema({enum: UNKNOWNS}), description: 'What is not known of the money.'},
};

export const errorSchema = (): Schema => ({
  $schema: DIALECT,
  title: 'centavo: errors with --json',
  description: 'One line on stderr. New fields may be added, but none is removed within a major version.',
  ...recordSchema({
    error: recordSchema(
      {
        code: {...textSchema, description: 'The name of the exit code, or a more specific code.'},
        exit_code: {
          enum: Object.values(EXIT_CODES)
            .map(({exit}) => exit)
            .filter((exit) => exit !== EXIT_CODES.ok.exit),
        },
        message: textSchema,
        hint: nullableSchema(textSchema),
        next: {
          ...listSchema(listSchema(textSchema)),
          description: 'Commands that lead on, each as arguments of centavo, the best first.',
        },
        needs_person: {...booleanSchema, description: 'True if only a person can say what comes next.'},
        ids: {...listSchema(textSchema), description: 'The objects that the error is about.'},
        job: {...nullableSchema(textSchema), description: 'The import that the error is about.'},
        candidates: {
          ...listSchema(recordSchema({id: textSchema}, {name: textSchema})),
          description: 'The objects that match what was typed.',
        },
        retryable: {...booleanSchema, description: 'Whether the same command may succeed later.'},
        applied,
        request: nullableSchema(recordSchema({method: textSchema, path: textSchema}, {operation: textSchema})),
        request_id: {...nullableSchema(textSchema), description: 'Request id of the service.'},
        api_errors: apiErrors,
      },
      {
        agent: {
          ...recordSchema({variable: textSchema, pid: integerSchema}),
          description: 'The agent program that was seen, if a person must decide.',
        },
        hand_over: {...HAND_OVER, description: 'The stored change that waits for a person.'},
        columns: {
          ...listSchema(recordSchema({column: textSchema, values: listSchema(textSchema), rows: integerSchema})),
          description: 'Columns of a file that are not understood, each with its first values and its filled rows.',
        },
        ...money,
        status: {...integerSchema, description: 'HTTP status of the response, if there was one.'},
        before: {
          ...recordSchema({at: integerSchema, is_certain: booleanSchema, ids: listSchema(textSchema)}),
          description: 'The equal change that this one would repeat.',
        },
        retry_after: {...number, description: 'Seconds to wait before a retry, as requested by the API.'},
        results: {
          ...listSchema(recordSchema({id: textSchema, code: textSchema, applied, api_errors: apiErrors}, money)),
          description: 'For several objects: each that failed or whose outcome is unknown.',
        },
        faults: {
          ...listSchema(
            recordSchema(
              {
                line: integerSchema,
                column: nullableSchema(textSchema),
                value: textSchema,
                code: textSchema,
                problem: textSchema,
                fix: textSchema,
              },
              {cell: textSchema},
            ),
          ),
          description:
            'Up to 20 problems in a file. line is the row number; cell is the address of the cell, such as B7.',
        },
      },
    ),
  }),
});
