// Short names of commands, for what is typed most. Everything else about them, help included, follows from this table.

import type {CommandClass} from './base.js';

/** The id of the command that each is short for. */
export const SHORT_NAMES: Readonly<Record<string, string>> = {
  bill: 'billing-statements:create',
  owed: 'billing-statements:aging',
};

/** The short name of a command. @param id `billing-statements:create` */
export const shortNameOf = (id: string): string | undefined =>
  Object.keys(SHORT_NAMES).find((name) => SHORT_NAMES[name] === id);

/** The same command under its short name. */
export function shortened(command: CommandClass, name: string): CommandClass {
  const long = SHORT_NAMES[name]!.replaceAll(':', ' ');
  const renamed = (text: string): string => text.replace(long, name);
  // It inherits everything else, how it runs included.
  abstract class Short extends command {
    static override summary = `Short for ${long}.`;
    static override usage = renamed(String(command.usage ?? `${long} [flags]`));
    static override examples = (command.examples ?? []).map((example) => renamed(String(example)));
  }
  return Short as unknown as CommandClass;
}
