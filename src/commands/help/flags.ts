// `centavo help flags`: the flags that every command has.

import {BaseCommand} from '../../cli/base.js';
import {globalFlags} from '../../cli/global-flags.js';
import {recordColumns, resultOfRecords} from '../../cli/columns.js';
import {list, record, text} from '../../cli/help/json-schema.js';

export class FlagsCommand extends BaseCommand {
  static override summary = 'List the global flags.';
  static override examples = ['<%= config.bin %> help flags'];
  static risk = 'reads' as const;
  static exits = [] as const;
  static output = () => list(record({flag: text, meaning: text}));

  async run(): Promise<unknown> {
    await this.read(FlagsCommand);
    const rows = Object.entries(globalFlags).map(([name, flag]) => ({
      flag: `${flag.char ? `-${flag.char}, ` : ''}--${name}${'helpValue' in flag && flag.helpValue ? ` ${String(flag.helpValue)}` : ''}`,
      meaning: flag.summary,
    }));
    await this.print(resultOfRecords(rows, recordColumns(['flag', 'meaning'])));
    return rows;
  }
}
