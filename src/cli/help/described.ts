// Commands as JSON, from the index without loading a command: `centavo commands --json`.

import type {Interfaces} from '../oclif.js';
import type {CommandEntry} from '../catalog/command-index.js';
import {shortened, shortNameOf} from '../catalog/short-names.js';

/** Placeholders in help by type of value. Other placeholders mean text, which is omitted. */
const TYPES: Readonly<Record<string, readonly string[]>> = {
  money: ['<pesos>'],
  integer: ['<centavos>', '<number>', '<seconds>'],
  date: ['<date>', '<unix seconds>'],
  duration: ['<time>', '[time]'],
  reference: ['<id>'],
  file: ['<file>', '<file[:VAR]>'],
  url: ['<url>'],
  email: ['<address>'],
  pair: ['<key=value>', '<path=value>'],
  item: ['<text x2 @ pesos>'],
  event: ['<event>', '<pattern>', '<patterns>'],
  list: ['<a,b>', '<case,…>', '<name=rate,…>'],
};

type DescribedValue = Partial<Pick<Interfaces.OptionFlag<unknown>, 'helpValue' | 'options'>>;

/** Returns the type of a value; `prefix` for ids, and `choices` for a choice or list. */
export function typeOf({helpValue, options}: DescribedValue): {
  type?: string;
  prefix?: string;
  choices?: readonly string[];
} {
  if (options) return {type: 'choice', choices: options};
  const placeholder = String(helpValue ?? '');
  const type = Object.keys(TYPES).find((each) => TYPES[each]!.includes(placeholder));
  if (type !== undefined) return {type};
  const prefix = /^<(\w+_)…>$/.exec(placeholder)?.[1];
  if (prefix !== undefined) return {type: 'reference', prefix};
  const choices = /^<(\w+(?:,\w+)+)>$/.exec(placeholder)?.[1]?.split(',');
  return choices ? {type: 'list', choices} : {};
}

const SEVERAL: readonly (string | undefined)[] = ['item', 'list', 'pair'];

const omitEmpty = <T extends object>(facts: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      ([, value]) => value && !(typeof value === 'object' && Object.keys(value as object).length === 0),
    ),
  ) as Partial<T>;

/** True if the summary says `Required.`. oclif does not check required flags, because a terminal prompts for them. */
export const isRequired = ({summary}: {readonly summary?: string}): boolean => / Required\.( |$)/.test(summary ?? '');

function describeFlag(flag: Interfaces.Flag<unknown>, whole: boolean) {
  const {char, exclusive, dependsOn, summary} = flag;
  const value = flag.type === 'boolean' ? {type: 'boolean', negatable: flag.allowNo} : typeOf(flag);
  return omitEmpty({
    ...value,
    overrides: (flag as {overrides?: boolean}).overrides,
    required: isRequired(flag),
    multiple: flag.type === 'option' && flag.multiple && !SEVERAL.includes(value.type),
    default: flag.type === 'option' ? flag.default : undefined,
    ...(whole && {char, excludes: exclusive, needs: dependsOn, summary}),
  });
}

export const describeFlags = (flags: CommandEntry['flags'] = {}, whole = true) =>
  Object.fromEntries(
    Object.values(flags as Record<string, Interfaces.Flag<unknown>>).map((flag) => [
      flag.name,
      describeFlag(flag, whole),
    ]),
  );

/** @param whole true to include all details and examples, and the request */
export function describeCommand(id: string, entry: CommandEntry, {bin, whole}: {bin: string; whole: boolean}) {
  const short = shortNameOf(id);
  const named = short === undefined ? entry : shortened(entry, short);
  const {agents, args = {}, description, examples = [], exitCodes, operation, risk, summary, usage} = named;
  const lines = examples.map((example) => String(example).replaceAll('<%= config.bin %>', bin));
  return omitEmpty({
    id: id.replaceAll(':', ' '),
    short_name: short,
    summary,
    description: whole ? description : undefined,
    risk,
    agents: whole ? (agents ?? (risk === 'reads' ? 'runs' : 'never')) : undefined,
    exit_codes: exitCodes,
    arguments: Object.values(args as Record<string, Interfaces.Arg<unknown> & DescribedValue>).map((arg) =>
      omitEmpty({
        name: arg.name,
        ...typeOf(arg),
        required: String(usage).includes(`<${arg.name.replaceAll('_', '-')}>`),
        multiple: arg.multiple,
        default: arg.default,
        summary: whole ? arg.description : undefined,
      }),
    ),
    flags: describeFlags(entry.flags, whole),
    examples: whole ? lines : lines.slice(0, 1),
    operation: whole ? operation : undefined,
  });
}
