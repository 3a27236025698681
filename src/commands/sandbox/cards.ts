// `centavo sandbox cards`: lists the test cards and their results.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';

const CARD = schema.record(
  {number: schema.text, brand: schema.text, funding: schema.text, description: schema.text},
  {failure: schema.text, challenge: schema.constant(true)},
);

export class CardsCommand extends BaseCommand {
  static override summary = 'List the test cards you can use in the sandbox.';
  static override examples = ['<%= config.bin %> sandbox cards'];
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.page(CARD);

  async run(): Promise<void> {
    await this.read(CardsCommand);
    const {cards} = await this.context.sandbox();
    await this.print(resultOfRecords(CARD, cards, {columns: ['number', 'brand', 'funding', 'description']}));
  }
}
