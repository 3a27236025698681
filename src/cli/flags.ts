// The contract's fields as flags. One rule for each kind of field; none for a single command. What was typed is read by flag-values.ts.

import {Flags} from '@oclif/core';
import type {Interfaces} from '@oclif/core';
import type {Field, Fields} from '../api/fields.js';

/** A parameter that has a flag. */
export interface FlagSpec {
  /** Without the dashes. */
  readonly flag: string;
  /** Where the value goes in the parameters. */
  readonly path: readonly string[];
  readonly field: Field;
}

/** The flag of every command that carries parameters. */
export const dataFlag = {
  data: Flags.string({
    char: 'd',
    summary: 'A parameter that has no flag: key=value, key[sub]=value, @file.json, or - for stdin.',
    helpValue: '<key=value>',
    multiple: true,
    multipleNonGreedy: true,
  }),
};

const kebab = (name: string): string => name.replaceAll('_', '-');

/** `customer_id` is `--customer`, `due_at` is `--due`; the rest keep their names. */
function flagName(name: string, field: Field): string {
  if (field.kind === 'id') return kebab(name.replace(/_id$/, ''));
  if (field.kind === 'timestamp') return kebab(name.replace(/_at$/, ''));
  if (field.kind === 'items') return 'item';
  return kebab(name);
}

/** The flags of these parameters; hashes are flattened to their leaves. Currency has none: there is only one. */
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
  // On the command line money is pesos and time is a date: the units of the wire would mislead.
  const plain = field.description.replace(/\.$/, '').replace(/,? in (centavos|unix seconds)\b/, '');
  const bounds =
    field.kind === 'centavos'
      ? []
      : [
          field.min !== undefined && `from ${field.min}`,
          field.max !== undefined && `to ${field.max}`,
          field.maxLength !== undefined && `at most ${field.maxLength} characters`,
        ].filter(Boolean);
  const unit = field.kind === 'centavos' ? ', in pesos: 1,250.50' : '';
  const more = field.events ? ' For a new event that looks misspelt: --data events[]=…' : '';
  return `${plain}${unit}${bounds.length > 0 ? ` (${bounds.join(' ')})` : ''}.${field.required ? ' Required.' : ''}${more}`;
}

/** oclif's flags for these parameters. Values stay text: flag-values.ts reads them, with our words for what is wrong. */
export function oclifFlags(specs: readonly FlagSpec[]): Record<string, AnyFlag> {
  return Object.fromEntries(
    specs.flatMap((spec): [string, AnyFlag][] => {
      const {flag, field} = spec;
      const summary = describe(spec);
      const text = (helpValue: string, extra: object = {}) => Flags.string({summary, helpValue, ...extra}) as AnyFlag;
      const many = {multiple: true, multipleNonGreedy: true};
      switch (field.kind) {
        case 'centavos':
          return [
            [flag, text('<pesos>')],
            [
              `${flag}-centavos`,
              Flags.string({
                summary: `The same in centavos: 125050.`,
                helpValue: '<centavos>',
                exclusive: [flag],
              }) as AnyFlag,
            ],
          ];
        case 'timestamp':
          return [[flag, text('<date>')]];
        case 'integer':
          return [[flag, text('<number>')]];
        case 'boolean':
          return [[flag, Flags.boolean({summary, allowNo: true}) as AnyFlag]];
        case 'choice':
          return [[flag, Flags.string({summary, options: [...field.choices!]}) as AnyFlag]];
        case 'list':
          return [[flag, text(field.choices ? `<${field.choices.join(',')}>` : '<a,b>', many)]];
        case 'metadata':
          return [[flag, text('<key=value>', many)]];
        case 'items':
          return [[flag, text('<text x2 @ pesos>', {...many, summary: `${summary} Repeatable.`})]];
        case 'id':
          return [[flag, text(`<${field.prefix}…>`)]];
        case 'email':
          return [[flag, text('<address>')]];
        case 'url':
          return [[flag, text('<url>')]];
        default:
          return [[flag, text('<text>')]];
      }
    }),
  );
}
