// `centavo config get`: prints one setting.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import {isMachineFormat} from '../../output/render.js';
import {SETTING, settingArgument, settingNamed, settingRow, shownValue, showOrigin} from './shared/setting-rows.js';

export class ConfigGetCommand extends BaseCommand {
  static override summary = 'Show the current value of a setting.';
  static override examples = [
    '<%= config.bin %> config get base_url',
    '<%= config.bin %> config get max_amount --profile shop --show-origin',
  ];
  static override args = {name: settingArgument};
  static override flags = showOrigin;
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'auth'] as const;
  static output = () => SETTING;

  async run(): Promise<void> {
    const {args, flags} = await this.read(ConfigGetCommand);
    const row = await settingRow(this.context, settingNamed(args.name));
    const {format, fields} = this.rendering;
    if (format !== undefined || fields || isMachineFormat(this.rendering)) {
      const shown = isMachineFormat(this.rendering) ? row : {...row, value: shownValue(row)};
      await this.print(resultOfRecord(SETTING, shown, {document: row}));
    } else await this.context.io.out(`${shownValue(row)}${flags['show-origin'] ? `\t${row.source}` : ''}\n`);
  }
}
