// `centavo sandbox seed`: adds customers, statements of every status, payments and payouts.

import {suggestNext} from '../../cli/next-command.js';
import {inProject} from '../../cli/next-steps.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {isMachineFormat} from '../../output/render.js';

export class SeedCommand extends BaseCommand {
  static override summary = 'Add sample data to the sandbox.';
  static override description =
    'Adds 25 customers, 60 billing statements of every status, checkout sessions, payments, refunds, webhooks, and payouts with transactions. Existing data stays. If the sandbox already has the sample data, nothing is added.';
  static override examples = [
    '<%= config.bin %> sandbox seed',
    '<%= config.bin %> sandbox reset --yes && <%= config.bin %> sandbox seed',
  ];
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.map(schema.integer);

  async run(): Promise<void> {
    const {flags} = await this.read(SeedCommand);
    if (isDryRun(this.context, flags, 'add sample data to the sandbox')) return;
    const sandbox = await this.context.sandbox();
    const counts = await sandbox.seed();
    if (!counts) {
      this.context.io.note('The sandbox already has the sample data. Nothing was added.');
      const again = ['centavo sandbox reset', 'centavo sandbox seed'].map((line) => inProject(this.context, line));
      this.context.io.note(`To start again: ${again.join(' && ')}`);
      if (isMachineFormat(this.rendering)) await this.print(resultOfRecord(schema.record({}), {}));
      return;
    }
    const fields = Object.keys(counts).map((name) => [name, schema.integer]);
    await this.print(resultOfRecord(schema.record(Object.fromEntries(fields)), counts));
    suggestNext(this.context, 'owed');
  }
}
