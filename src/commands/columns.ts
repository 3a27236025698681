// `centavo columns`: lists and forgets what was answered about the columns of spreadsheets.

import {BaseCommand, severalWords} from '../cli/base.js';
import {confirmLocal} from '../cli/dry-run.js';
import {Flags} from '../cli/oclif.js';
import {resultOfRecords} from '../cli/records.js';
import {
  integerSchema,
  listSchema,
  mapSchema,
  recordSchema,
  textSchema,
  timestampSchema,
  titledSchema,
} from '../cli/schema.js';
import {CentavoError, usageError} from '../common/errors.js';
import type {RememberedSheet} from '../config/column-memory.js';

const SHEET = recordSchema({
  number: titledSchema('n', integerSchema),
  columns: listSchema(textSchema),
  answers: mapSchema(textSchema),
  file: textSchema,
  used_at: titledSchema('used', timestampSchema),
});
const TABLE = {number: 1, answers: 1, file: 2, used_at: 3, columns: 4};

function resultOf(sheets: readonly RememberedSheet[]) {
  const records = sheets.map(({headers, answers, ...sheet}) => ({
    ...sheet,
    columns: headers,
    answers: Object.fromEntries(answers.map(({column, means}) => [column, means])),
  }));
  const sorted = records.sort((one, other) => one.number - other.number);
  return resultOfRecords(SHEET, sorted, {atTerminal: TABLE, empty: 'No answers about columns.'});
}

export class ColumnsListCommand extends BaseCommand {
  static override summary = 'List your answers about the columns of spreadsheets.';
  static override description =
    'centavo asks about each column that it does not understand. It remembers the answers for sheets with the same headers, for all profiles, in live and test mode. A new kind of value in the column asks again.';
  static override examples = ['<%= config.bin %> columns list', '<%= config.bin %> columns list --json'];
  static risk = 'reads' as const;
  static exits = ['config'] as const;
  static output = () => listSchema(SHEET);

  async run(): Promise<void> {
    await this.read(ColumnsListCommand);
    await this.print(resultOf((await this.context.columnMemory()).read()));
  }
}

export class ColumnsForgetCommand extends BaseCommand {
  static override summary = 'Forget your answers about the columns of a spreadsheet.';
  static override description =
    'The next import of such a sheet asks again. To find the number: centavo columns list. With --all, centavo also removes a damaged file of answers.';
  static override examples = ['<%= config.bin %> columns forget 3', '<%= config.bin %> columns forget --all --yes'];
  static override args = {number: severalWords({description: 'Numbers in columns list.', helpValue: '<n>'})};
  static override flags = {all: Flags.boolean({summary: 'Forget all answers.'})};
  static risk = 'destroys' as const;
  static exits = ['config', 'not_found', 'refused'] as const;
  static output = () => listSchema(SHEET);

  async run(): Promise<void> {
    const {args, flags} = await this.read(ColumnsForgetCommand);
    const words = args.number ?? [];
    if (words.length > 0 === (flags.all ?? false))
      throw usageError('missing_argument', 'name the numbers, or add --all.', {
        hint: 'To see them: centavo columns list',
      });
    const memory = await this.context.columnMemory();
    // With --all, the file may be damaged.
    const sheets = flags.all ? [] : memory.read();
    const forgotten = words.map((word) => sheetNumbered(word, sheets));
    const named = forgotten.map(
      ({number, file, answers}) => `${number} (${file}: ${answers.map(({column}) => column).join(', ')})`,
    );
    const what = flags.all ? 'all answers about columns' : `the answers about the columns of ${named.join(' and ')}`;
    if (await confirmLocal(this.context, flags, `forget ${what}`))
      memory.forget(flags.all ? 'all' : forgotten.map(({number}) => number));
    await this.printDone(resultOf(forgotten));
  }
}

function sheetNumbered(word: string, sheets: readonly RememberedSheet[]): RememberedSheet {
  const found = sheets.find(({number}) => String(number) === word.trim());
  if (found) return found;
  throw new CentavoError('not_found', `no answers have the number ${JSON.stringify(word)}.`, {
    code: 'columns_not_found',
    hint: 'To see the numbers: centavo columns list',
  });
}
