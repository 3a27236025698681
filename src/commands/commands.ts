// `centavo commands`: lists every command, for programs too.

import {operations} from '../api/registry.js';
import {BaseCommand} from '../cli/base.js';
import {recordColumns, resultOfRecords} from '../cli/columns.js';
import type {Column} from '../output/render.js';

export class CommandsCommand extends BaseCommand {
  static override summary = 'List every command; with --json, the whole tree.';
  static override examples = ['<%= config.bin %> commands', '<%= config.bin %> commands --json'];

  async run(): Promise<unknown> {
    await this.read(CommandsCommand);
    const entries = this.config.commands
      .filter(({hidden}) => !hidden)
      .map((command) => {
        const registered = operations.find(({id}) => id === command.id);
        return {
          id: command.id.replaceAll(':', ' '),
          summary: command.summary ?? '',
          arguments: Object.entries(command.args ?? {}).map(([name, arg]) => ({
            name,
            description: arg.description ?? '',
            required: arg.required ?? false,
            multiple: arg.multiple ?? false,
          })),
          flags: Object.values(command.flags ?? {}).map((flag) => ({
            name: flag.name,
            char: flag.char ?? null,
            summary: flag.summary ?? '',
            type: flag.type,
            ...(flag.type === 'option' && {
              value: flag.helpValue ?? null,
              options: flag.options ?? null,
              multiple: flag.multiple ?? false,
            }),
            default: flag.default ?? null,
            global: flag.helpGroup === 'GLOBAL',
          })),
          examples: (command.examples ?? []).map((example) =>
            String(example).replaceAll('<%= config.bin %>', this.config.bin),
          ),
          operation: registered
            ? {method: registered.operation.method, path: registered.operation.path, client: registered.method}
            : null,
        };
      })
      .sort((a, b) => (a.id < b.id ? -1 : 1));
    const columns: Column[] = [{path: 'id', header: 'command', kind: 'text'}, ...recordColumns(['summary'])];
    const all = recordColumns(['id', 'summary', 'arguments', 'flags', 'examples', 'operation']);
    await this.print(resultOfRecords(entries, columns, {all}));
    return entries;
  }
}
