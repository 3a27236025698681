// `centavo help flags`: lists the global flags.

import {BaseCommand} from '../../cli/base.js';
import {recordColumns} from '../../cli/columns.js';
import {globalFlags} from '../../cli/base.js';

export class FlagsCommand extends BaseCommand {
  static override summary = 'List the flags that every command has.';
  static override examples = ['<%= config.bin %> help flags'];

  async run(): Promise<unknown> {
    await this.read(FlagsCommand);
    const rows = Object.entries(globalFlags).map(([name, flag]) => ({
      flag: `${flag.char ? `-${flag.char}, ` : ''}--${name}${'helpValue' in flag && flag.helpValue ? ` ${String(flag.helpValue)}` : ''}`,
      meaning: flag.summary,
    }));
    const columns = recordColumns(['flag', 'meaning']);
    await this.print({rows, document: rows, columns, all: columns, shape: 'many'});
    return rows;
  }
}
