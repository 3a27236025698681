// `centavo sandbox cards`: lists the test cards and their results.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecords} from '../../cli/records.js';
import {constantSchema, listPageSchema, recordSchema, textSchema} from '../../cli/schema.js';

const CARD = recordSchema(
  {number: textSchema, brand: textSchema, funding: textSchema, description: textSchema},
  {failure: textSchema, challenge: constantSchema(true)},
);

export class CardsCommand extends BaseCommand {
  static override summary = 'List the test cards you can use in the sandbox.';
  static override examples = ['<%= config.bin %> sandbox cards'];
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => listPageSchema(CARD);

  async run(): Promise<void> {
    await this.read(CardsCommand);
    const {cards} = await this.context.sandbox();
    await this.print(resultOfRecords(CARD, cards, {columns: ['number', 'brand', 'funding', 'description']}));
  }
}
