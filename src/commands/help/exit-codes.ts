// `centavo help exit-codes`: lists the exit codes.

import {EXIT_CODES} from '../../errors.js';
import {BaseCommand} from '../../cli/base.js';
import {recordColumns} from '../../cli/columns.js';

export class ExitCodesCommand extends BaseCommand {
  static override summary = 'List the exit codes and what they mean.';
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help exit-codes --json'];

  async run(): Promise<unknown> {
    await this.read(ExitCodesCommand);
    const rows = Object.entries(EXIT_CODES).map(([name, {exit, meaning}]) => ({code: exit, name, meaning}));
    const columns = recordColumns(['code', 'name', 'meaning']);
    await this.print({rows, document: rows, columns, all: columns, shape: 'many'});
    return rows;
  }
}
