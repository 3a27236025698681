// `centavo sandbox cards`: the test cards, and what happens when each is used.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {list, record, text} from '../../cli/json-schema.js';
import {recordColumns, resultOfRecords} from '../../cli/objects/results.js';

export class CardsCommand extends BaseCommand {
  static override summary = 'List the test cards you can use in the sandbox.';
  static override examples = ['<%= config.bin %> sandbox cards'];
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => list(record({number: text, brand: text, funding: text, description: text}, {failure: text}));

  async run(): Promise<unknown> {
    await this.read(CardsCommand);
    const {cards} = await this.context.sandbox();
    const columns = recordColumns(['number', 'brand', 'funding', 'description']);
    await this.print(resultOfRecords(cards, columns, {all: [...columns, ...recordColumns(['failure'])]}));
    return cards;
  }
}
