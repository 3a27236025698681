// Commands as programs read them: `centavo commands --json` is made of the index, without loading any command.

import type {Interfaces} from '../oclif.js';
import type {CommandEntry} from '../line/command-index.js';
import {shortNameOf} from '../line/short-names.js';

/** What the value of a flag or argument is, by the words with which help shows it; all others are texts, which are left out. */
const TYPES: Readonly<Record<string, string>> = {
  '<pesos>': 'money',
  '<centavos>': 'integer',
  '<number>': 'integer',
  '<seconds>': 'integer',
  '<date>': 'date',
  '<unix seconds>': 'date',
  '<time>': 'duration',
  '<id>': 'reference',
  '<file>': 'file',
  '<file[:VAR]>': 'file',
  '<url>': 'url',
  '<address>': 'email',
  '<key=value>': 'pair',
  '<path=value>': 'pair',
  '<text x2 @ pesos>': 'item',
  '<event>': 'event',
  '<pattern>': 'event',
  '<patterns>': 'event',
  '<a,b>': 'list',
  '<case,…>': 'list',
  '<name=rate,…>': 'list',
};

type Value = Pick<Interfaces.OptionFlag<unknown>, 'helpValue' | 'options'>;

/** The type of a value; the prefix of the ids that it takes; the values that it may be one of, or a list of. */
function typeOf({helpValue, options}: Value): {type?: string; prefix?: string; choices?: readonly string[]} {
  if (options) return {type: 'choice', choices: options};
  const words = String(helpValue ?? '');
  const type = TYPES[words];
  if (type !== undefined) return {type};
  const prefix = /^<(\w+_)…>$/.exec(words)?.[1];
  if (prefix !== undefined) return {type: 'reference', prefix};
  const choices = /^<(\w+(?:,\w+)+)>$/.exec(words)?.[1]?.split(',');
  return choices ? {type: 'list', choices} : {};
}

/** Types of which several can always be given. */
const SEVERAL: readonly (string | undefined)[] = ['item', 'list', 'pair'];

/** Without what says nothing: no value, `false`, an empty list. */
const brief = <T extends object>(facts: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(facts).filter(
      ([, value]) => value && !(typeof value === 'object' && Object.keys(value as object).length === 0),
    ),
  ) as Partial<T>;

/** Whether a flag must be given. The parser does not check it, because at a terminal what is missing is asked for. */
export const isRequired = ({summary}: {readonly summary?: string}): boolean => / Required\.( |$)/.test(summary ?? '');

function describeFlag(flag: Interfaces.Flag<unknown>, whole: boolean) {
  const {char, exclusive, dependsOn, summary} = flag;
  const value = flag.type === 'boolean' ? {type: 'boolean', negatable: flag.allowNo} : typeOf(flag);
  return brief({
    ...value,
    required: isRequired(flag),
    multiple: flag.type === 'option' && flag.multiple && !SEVERAL.includes(value.type),
    default: flag.type === 'option' ? flag.default : undefined,
    ...(whole && {char, excludes: exclusive, needs: dependsOn, summary}),
  });
}

/** Flags by name. @param whole with letters, summaries, and the flags that they exclude or need */
export const describeFlags = (flags: CommandEntry['flags'] = {}, whole = true) =>
  Object.fromEntries(
    Object.values(flags as Record<string, Interfaces.Flag<unknown>>).map((flag) => [
      flag.name,
      describeFlag(flag, whole),
    ]),
  );

/** @param whole with everything about its flags and arguments, all of its examples, and the request that it makes */
export function describeCommand(id: string, entry: CommandEntry, {bin, whole}: {bin: string; whole: boolean}) {
  const {args = {}, examples = [], exitCodes, operation, risk, summary, usage} = entry;
  const lines = examples.map((example) => String(example).replaceAll('<%= config.bin %>', bin));
  return brief({
    id: id.replaceAll(':', ' '),
    short_name: shortNameOf(id),
    summary,
    risk,
    exit_codes: exitCodes,
    arguments: Object.values(args as Record<string, Interfaces.Arg<unknown> & Value>).map((arg) =>
      brief({
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
