// `centavo config list`: every setting as it holds now, and with --show-origin who said so.

import {Flags} from '@oclif/core';
import {BaseCommand} from '../../cli/base.js';
import {isMachine} from '../../output/render.js';
import {ALL_SETTINGS, settingColumns, settingRow, shownValue} from '../../cli/accounts/setting-rows.js';

export class ConfigListCommand extends BaseCommand {
  static override summary = 'List every setting as it holds now.';
  static override description =
    'Flags override environment variables, which override the profile, which overrides the defaults. With --profile, the key, base_url and encoding of that profile override the variables. Limits come only from the profile.';
  static override examples = [
    '<%= config.bin %> config list --show-origin',
    '<%= config.bin %> config list --profile shop --json',
  ];
  static override flags = {'show-origin': Flags.boolean({summary: 'Show who said so.'})};

  async run(): Promise<unknown> {
    const {flags} = await this.read(ConfigListCommand);
    const {context} = this;
    const data = await Promise.all(ALL_SETTINGS.map((name) => settingRow(context, name)));
    const machine = isMachine(this.rendering);
    const columns = settingColumns(machine || flags['show-origin']);
    await this.print({
      rows: machine ? data : data.map((row) => ({...row, value: shownValue(row)})),
      document: {resource: 'list', has_more: false, data},
      columns,
      all: settingColumns(true),
      shape: 'many',
    });
    if (flags['show-origin']) context.io.note(context.io.paint('dim', context.configuration.path, 'stderr'));
    return data;
  }
}
