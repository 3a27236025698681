// `centavo sandbox cards`: the test cards, and what paying with each does.

import {BaseCommand} from '../../cli/base.js';

export class CardsCommand extends BaseCommand {
  static override summary = 'List the test cards that the sandbox takes.';
  static override examples = ['<%= config.bin %> sandbox cards'];

  async run(): Promise<unknown> {
    await this.read(CardsCommand);
    const {cards} = await this.context.sandbox();
    const columns = ['number', 'brand', 'funding', 'description'].map((path) => ({
      path,
      header: path,
      kind: 'text' as const,
    }));
    await this.print({
      rows: cards as never,
      document: cards,
      columns,
      all: [...columns, {path: 'failure', header: 'failure', kind: 'text'}],
      shape: 'many',
    });
    return cards;
  }
}
