// `centavo columns`: lists and forgets what was answered about the columns of spreadsheets.

import {BaseCommand, severalWords} from '../cli/base.js';
import {confirmLocal} from '../cli/dry-run.js';
import {Flags} from '../cli/oclif.js';
import {resultOfRecords} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import {CentavoError, nextCommand, usageError} from '../common/errors.js';
import type {RememberedSheet} from '../config/column-memory.js';
import {quote} from '../input/money.js';

const SHEET = schema.record({
  number: schema.titled('n', schema.integer),
  columns: schema.list(schema.text),
  answers: schema.map(schema.text),
  file: schema.text,
  used_at: schema.titled('used', schema.timestamp),
});
const TABLE = {number: 1, answers: 1, file: 2, used_at: 3, columns: 4};

function resultOf(sheets: readonly RememberedSheet[]) {
  const records = sheets.map(({number, headers, answers, file, used_at}) => ({
    ...{number, columns: headers, file, used_at},
    answers: Object.fromEntries(answers.map(({column, means}) => [column, means])),
  }));
  const sorted = records.sort((one, other) => one.number - other.number);
  return resultOfRecords(SHEET, sorted, {atTerminal: TABLE, empty: 'No answers about columns.'});
}

export class ColumnsListCommand extends BaseCommand {
  static override summary = 'List your answers about the columns of spreadsheets.';
  static override description =
    'An answer holds for all sheets with the same headers, in every profile. A new kind of value asks again.';
  static override examples = ['<%= config.bin %> columns list'];
  static risk = 'reads' as const;
  static exits = ['config'] as const;
  static output = () => schema.page(SHEET);

  async run(): Promise<void> {
    await this.read(ColumnsListCommand);
    await this.print(resultOf((await this.context.columnMemory()).read()));
  }
}

export class ColumnsForgetCommand extends BaseCommand {
  static override summary = 'Forget answers, so that the next import of such a sheet asks again.';
  static override examples = ['<%= config.bin %> columns forget 3', '<%= config.bin %> columns forget --all'];
  static override args = {number: severalWords({description: 'Numbers in columns list.', helpValue: '<n>'})};
  static override flags = {all: Flags.boolean({summary: 'Forget all answers, also if their file is damaged.'})};
  static risk = 'destroys' as const;
  static exits = ['config', 'not_found', 'refused'] as const;
  static output = () => schema.page(SHEET);

  async run(): Promise<void> {
    const {args, flags} = await this.read(ColumnsForgetCommand);
    const {number: words = []} = args;
    const {all = false} = flags;
    if (words.length > 0 === all)
      throw usageError('missing_argument', 'name the numbers, or add --all.', {
        next: [nextCommand('To see them', 'columns list')],
      });
    const memory = await this.context.columnMemory();
    // With --all, the file may be damaged.
    const sheets = all ? [] : memory.read();
    const forgotten = [...new Set(words)].map((word) => sheetNumbered(word, sheets));
    const named = forgotten.map(
      ({number, file, answers}) => `${number} (${file}: ${answers.map(({column}) => column).join(', ')})`,
    );
    const what = `forget ${all ? 'all answers' : 'the answers'} about columns${named.length > 0 ? `: ${named.join(', ')}` : ''}`;
    if (await confirmLocal(this.context, flags, what)) memory.forget(all ? 'all' : forgotten.map(({number}) => number));
    await this.printDone(resultOf(forgotten));
  }
}

function sheetNumbered(word: string, sheets: readonly RememberedSheet[]): RememberedSheet {
  const found = sheets.find(({number}) => String(number) === word);
  if (found) return found;
  throw new CentavoError('not_found', `no answers have the number ${quote(word)}.`, {
    code: 'columns_not_found',
    next: [nextCommand('To see the numbers', 'columns list')],
  });
}
