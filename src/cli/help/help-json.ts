// A page of help as JSON: `centavo customers list --help --json`.

import type {CommandCatalog} from '../catalog/command-catalog.js';
import {booleanSchema, eitherSchema, listSchema, nullableSchema, recordSchema, textSchema} from '../schema.js';

const ENTRY = {words: textSchema, summary: textSchema};
const FLAG = {
  ...{name: textSchema, char: nullableSchema(textSchema), summary: textSchema, value: nullableSchema(textSchema)},
  ...{options: nullableSchema(listSchema(textSchema)), default: {}, global: booleanSchema},
};
const listed = listSchema(recordSchema(ENTRY));
export const helpPageSchema = eitherSchema(
  recordSchema({...ENTRY, topics: listed, commands: listed}),
  recordSchema({
    ...{...ENTRY, description: textSchema, usage: textSchema, examples: listSchema(textSchema)},
    arguments: listSchema(recordSchema({name: textSchema, description: textSchema})),
    flags: listSchema(recordSchema(FLAG)),
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
