// `centavo help exit-codes`: the exit codes and what they mean.

import {BaseCommand} from '../../cli/base.js';
import {recordColumns, resultOfRecords} from '../../cli/columns.js';
import {integer, list, record, text} from '../../cli/help/json-schema.js';
import {EXIT_CODES} from '../../errors.js';

export class ExitCodesCommand extends BaseCommand {
  static override summary = 'List the exit codes and what they mean.';
  static override examples = ['<%= config.bin %> help exit-codes', '<%= config.bin %> help exit-codes --json'];
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => list(record({code: integer, name: text, meaning: text}));

  async run(): Promise<unknown> {
    await this.read(ExitCodesCommand);
    const rows = Object.entries(EXIT_CODES).map(([name, {exit, meaning}]) => ({code: exit, name, meaning}));
    await this.print(resultOfRecords(rows, recordColumns(['code', 'name', 'meaning'])));
    return rows;
  }
}
