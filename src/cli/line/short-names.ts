// Short names of commands, for what is typed most: another name of the same command. Everything else about them follows from this table.

import type {CommandEntry} from './command-index.js';

/** The id of the command that each is short for. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  bill: 'billing-statements:create',
  owed: 'billing-statements:aging',
};

/** The id of a command by its short name; of anything else, itself. */
export const longId = (id: string): string => (Object.hasOwn(SHORT_NAMES, id) ? SHORT_NAMES[id]! : id);

/** The short name of a command. @param id `billing-statements:create` */
export const shortNameOf = (id: string): string | undefined =>
  Object.keys(SHORT_NAMES).find((name) => SHORT_NAMES[name] === id);

/** A command as its page of help shows it under its short name. */
export function shortened(entry: CommandEntry, name: string): CommandEntry {
  const long = longId(name).replaceAll(':', ' ');
  const renamed = (text: unknown): string => String(text).replace(long, name);
  return {
    ...entry,
    summary: `Short for ${long}.`,
    usage: renamed(entry.usage ?? `${long} [flags]`),
    examples: entry.examples?.map(renamed),
  };
}
