// A page of help as JSON: `centavo customers list --help --json`.

import type {CommandCatalog} from '../catalog/command-catalog.js';
import * as schema from '../schema.js';

const ENTRY = {words: schema.text, summary: schema.text};
const FLAG = {
  ...{name: schema.text, char: schema.nullable(schema.text), summary: schema.text, value: schema.nullable(schema.text)},
  ...{options: schema.nullable(schema.list(schema.text)), default: {}, global: schema.boolean},
};
const listed = schema.list(schema.record(ENTRY));
export const helpPageSchema = schema.either(
  schema.record({...ENTRY, topics: listed, commands: listed}),
  schema.record({
    ...{...ENTRY, description: schema.text, usage: schema.text, examples: schema.list(schema.text)},
    arguments: schema.list(schema.record({name: schema.text, description: schema.text})),
    flags: schema.list(schema.record(FLAG)),
  }),
);

export function describePage(words: readonly string[], program: CommandCatalog): object {
  const id = words.join(':');
  const command = program.findCommand(id);
  const listEntry = ({id: each = '', name = each, summary, description}: ListedHelp) => ({
    words: name.replaceAll(':', ' '),
    summary: summary ?? description ?? '',
  });
  if (!command) {
    const isBelow = (name: string): boolean =>
      id === '' ? !name.includes(':') : name.startsWith(`${id}:`) && !name.slice(id.length + 1).includes(':');
    return {
      words: words.join(' '),
      summary: id === '' ? program.pjson.description : (program.findTopic(id).description ?? ''),
      topics: program.topics.filter(({name}) => isBelow(name)).map(listEntry),
      commands: program.commands.filter((each) => isBelow(each.id)).map(listEntry),
    };
  }
  return {
    ...listEntry(command),
    description: command.description ?? '',
    usage: `${program.bin} ${String(command.usage)}`,
    arguments: Object.values(command.args).map(({name, description}) => ({name, description: description ?? ''})),
    flags: Object.values(command.flags).map((flag) => ({
      name: flag.name,
      char: flag.char ?? null,
      summary: flag.summary ?? '',
      value: flag.type === 'option' ? (flag.helpValue ?? '<value>') : null,
      options: (flag.type === 'option' && flag.options) || null,
      default: flag.default ?? null,
      global: flag.helpGroup === 'GLOBAL',
    })),
    examples: (command.examples ?? []).map((line) => String(line).replaceAll('<%= config.bin %>', program.bin)),
  };
}

interface ListedHelp {
  readonly id?: string;
  readonly name?: string;
  readonly summary?: string;
  readonly description?: string;
}
