// Builds the JSON Schemas that --schema prints, for a command's --json output and for errors.

import {STATES, UNKNOWNS} from '../../accounting/standing.js';
import {deliveredEventFields} from '../../api/events.js';
import type {Field, Fields} from '../../api/fields.js';
import {shapes} from '../../api/registry.js';
import {EXIT_CODES, usageError} from '../../common/errors.js';
import {toJson} from '../../output/format.js';
import type {CommandClass} from '../base.js';
import {HAND_OVER} from '../operations/hand-over-record.js';
import * as schema from '../schema.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** Objects of the contract by name; `event` has no operation. */
const OBJECTS: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ...[...shapes.values()].map(({name, fields}) => [name, fields] as const),
  ['event', deliveredEventFields],
]);

/** Choices become examples, because responses may have values that the contract does not know. */
function fieldSchema(field: Field): schema.Schema {
  switch (field.kind) {
    case 'boolean':
      return schema.boolean;
    case 'centavos':
    case 'integer':
    case 'timestamp':
      return schema.integer;
    case 'choice':
      return {...schema.text, examples: field.choices};
    case 'list':
      return field.areNumbers ? schema.list(schema.integer) : schema.list(schema.text);
    case 'metadata':
      return schema.map(schema.text);
    case 'related':
      return {description: 'An id, some fields of the object, the whole object, a list of these, or null.'};
    case 'hash':
      return objectSchema(field.fields!);
    case 'items':
      return schema.list(objectSchema(field.fields!));
    default:
      return schema.text;
  }
}

/** Requires only the id, because responses may lack other fields or add fields. */
function objectSchema(fields: Fields): schema.Schema {
  const properties = Object.entries(fields).map(([name, field]) => {
    const shape = fieldSchema(field);
    // An unset time is 0 or null; an unknown amount is null.
    const mayBeNull =
      field.kind === 'timestamp' || field.kind === 'centavos' || (field.nullable && field.kind !== 'related');
    return [name, {description: field.description, ...(mayBeNull ? schema.nullable(shape) : shape)}] as const;
  });
  return {type: 'object', properties: Object.fromEntries(properties), required: fields.id ? ['id'] : []};
}

const MODE: schema.Schema = {...schema.text, description: 'Mode of the account: sandbox, test or live.'};

const definitions = (shape: schema.Schema): schema.Schema =>
  Object.fromEntries(
    [...new Set([...JSON.stringify(shape).matchAll(/"#\/\$defs\/(\w+)"/g)].map(([, name]) => name!))].map((name) => [
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
export function outputSchema(words: string, output: schema.Schema | undefined, usesAccount = false): schema.Schema {
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
const apiErrors = schema.list(
  schema.record({code: schema.text, detail: schema.text}, {parameter: schema.nullable(schema.text)}),
);

/** What happened to the money of a refused billing statement. */
const money = {
  state: {enum: STATES, description: 'What happened to the money of the billing statement.'},
  replaced_by: schema.record({id: schema.text, name: schema.text}),
  unknown: {...schema.list({enum: UNKNOWNS}), description: 'What is not known of the money.'},
};

export const errorSchema = (): schema.Schema => ({
  $schema: DIALECT,
  title: 'centavo: errors with --json',
  description: 'One line on stderr. New fields may be added, but none is removed within a major version.',
  ...schema.record({
    error: schema.record(
      {
        code: {...schema.text, description: 'The name of the exit code, or a more specific code.'},
        exit_code: {
          enum: Object.values(EXIT_CODES)
            .map(({exit}) => exit)
            .filter((exit) => exit !== EXIT_CODES.ok.exit),
        },
        message: schema.text,
        hint: schema.nullable(schema.text),
        next: {
          ...schema.list(schema.list(schema.text)),
          description: 'Commands that lead on, each as arguments of centavo, the best first.',
        },
        needs_person: {...schema.boolean, description: 'True if only a person can say what comes next.'},
        ids: {...schema.list(schema.text), description: 'The objects that the error is about.'},
        job: {...schema.nullable(schema.text), description: 'The import that the error is about.'},
        candidates: {
          ...schema.list(schema.record({id: schema.text}, {name: schema.text})),
          description: 'The objects that match what was typed.',
        },
        retryable: {...schema.boolean, description: 'Whether the same command may succeed later.'},
        applied,
        request: schema.nullable(schema.record({method: schema.text, path: schema.text}, {operation: schema.text})),
        request_id: {...schema.nullable(schema.text), description: 'Request id of the service.'},
        api_errors: apiErrors,
      },
      {
        agent: {
          ...schema.record({variable: schema.text, pid: schema.integer}),
          description: 'The agent program that was seen, if a person must decide.',
        },
        hand_over: {...HAND_OVER, description: 'The stored change that waits for a person.'},
        columns: {
          ...schema.list(schema.record({column: schema.text, values: schema.list(schema.text), rows: schema.integer})),
          description: 'Columns of a file that are not understood, each with its first values and its filled rows.',
        },
        ...money,
        status: {...schema.integer, description: 'HTTP status of the response, if there was one.'},
        before: {
          ...schema.record({at: schema.integer, is_certain: schema.boolean, ids: schema.list(schema.text)}),
          description: 'The equal change that this one would repeat.',
        },
        retry_after: {...schema.number, description: 'Seconds to wait before a retry, as requested by the API.'},
        results: {
          ...schema.list(schema.record({id: schema.text, code: schema.text, applied, api_errors: apiErrors}, money)),
          description: 'For several objects: each that failed or whose outcome is unknown.',
        },
        faults: {
          ...schema.list(
            schema.record(
              {
                line: schema.integer,
                column: schema.nullable(schema.text),
                ...schema.fieldsNamed('value code problem fix', schema.text),
              },
              {cell: schema.text},
            ),
          ),
          description:
            'Up to 20 problems in a file. line is the row number; cell is the address of the cell, such as B7.',
        },
      },
    ),
  }),
});
