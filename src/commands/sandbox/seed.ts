// `centavo sandbox seed`: a merchant with customers, statements in every state, payments and payouts.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/columns.js';
import {isDryRun} from '../../cli/dry-run.js';
import {integer, mapOf} from '../../cli/json-schema.js';

export class SeedCommand extends BaseCommand {
  static override summary = 'Fill the sandbox with a believable merchant.';
  static override description =
    '25 customers, 60 statements in every state, checkout sessions, payments, refunds, webhooks, and payouts with their transactions. What is there already stays.';
  static override examples = [
    '<%= config.bin %> sandbox seed',
    '<%= config.bin %> sandbox reset --yes && <%= config.bin %> sandbox seed',
  ];
  static risk = 'writes' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => mapOf(integer);

  async run(): Promise<unknown> {
    const {flags} = await this.read(SeedCommand);
    if (isDryRun(this.context, flags, 'fill the sandbox with a merchant')) return undefined;
    const counts = (await this.context.sandbox()).seed();
    await this.print(resultOfRecord({...counts}));
    return counts;
  }
}
