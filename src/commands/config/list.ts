// `centavo config list`: lists all settings with their sources.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {isMachineFormat} from '../../output/render.js';
import {ALL_SETTINGS, SETTING, settingRow, shownValue, showOrigin} from './shared/setting-rows.js';

export class ConfigListCommand extends BaseCommand {
  static override summary = 'List all settings and their current values.';
  static override description =
    'Flags override environment variables, environment variables override the profile, and the profile overrides the defaults. With --profile, the key, base_url and encoding of that profile override the variables. Limits come from the profile only. If other profiles have limits for the same key, the tightest applies: see status.';
  static override examples = [
    '<%= config.bin %> config list --show-origin',
    '<%= config.bin %> config list --profile shop --json',
  ];
  static override flags = showOrigin;
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'auth'] as const;
  static output = () => schema.page(SETTING);

  async run(): Promise<void> {
    const {flags} = await this.read(ConfigListCommand);
    const {context} = this;
    const data = await Promise.all(ALL_SETTINGS.map((name) => settingRow(context, name)));
    const machine = isMachineFormat(this.rendering);
    const rows = machine ? data : data.map((row) => ({...row, value: shownValue(row)}));
    await this.print(
      resultOfRecords(SETTING, rows, {
        document: schema.listDocument(data),
        ...(!machine && !flags['show-origin'] && {columns: ['name', 'value']}),
      }),
    );
    if (flags['show-origin']) context.io.note(context.configuration.path, {style: 'dim'});
  }
}
