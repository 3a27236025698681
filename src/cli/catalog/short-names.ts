// Short names of the most used commands.

import type {CommandEntry} from './command-index.js';

export const SHORT_NAMES: Readonly<Record<string, string>> = {
  bill: 'billing-statements:create',
  duplicate: 'billing-statements:duplicate',
  edit: 'billing-statements:edit',
  export: 'billing-statements:export',
  import: 'billing-statements:import',
  link: 'billing-statements:link',
  owed: 'billing-statements:aging',
  print: 'billing-statements:print',
  refund: 'refunds:create',
  reissue: 'billing-statements:reissue',
  remind: 'billing-statements:remind',
  send: 'billing-statements:send',
  settle: 'billing-statements:settle',
  void: 'billing-statements:void',
  wait: 'billing-statements:wait',
};

/** Returns the full id of a short name; returns other ids unchanged. */
export const longId = (id: string): string => (Object.hasOwn(SHORT_NAMES, id) ? SHORT_NAMES[id]! : id);

export const shortNameOf = (id: string): string | undefined =>
  Object.keys(SHORT_NAMES).find((name) => SHORT_NAMES[name] === id);

/** Returns a help entry with the short name in its usage and examples. */
export function shortened(entry: CommandEntry, name: string): CommandEntry {
  const long = longId(name).replaceAll(':', ' ');
  const renamed = (text: unknown): string => String(text).replace(long, name);
  return {
    ...entry,
    usage: renamed(entry.usage),
    examples: entry.examples?.map(renamed),
  };
}
