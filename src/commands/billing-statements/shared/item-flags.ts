// Line items from --item flags and from spreadsheets.

import {Flags, repeatable, type Interfaces} from '../../../cli/oclif.js';
import type {Context} from '../../../context/context.js';
import {formatPesos} from '../../../common/pesos.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {usageError} from '../../../common/errors.js';
import {readItem, type StatementItem} from '../../../input/items.js';
import {quote} from '../../../input/money.js';
import {shellQuote} from '../../../common/next-text.js';
import type {ItemsOptions} from '../../../input/spreadsheet/items.js';
import type {ColumnAnswer} from '../../../input/spreadsheet/meanings.js';
import {alternativeReading} from '../../../input/typed-items.js';

/** @param effect what else the items do: `; replaces all items of the draft` */
export const itemFlag = (effect = '') =>
  Flags.string({
    summary: `A line item${effect}: "Web design x2 @ 15,000". Repeatable.`,
    helpValue: '<text x2 @ pesos>',
    ...repeatable,
  });

/** Reads --item flags. Prints a note if a number in a description may be the quantity. */
export const readItemFlags = (context: Context, texts: readonly string[]): StatementItem[] =>
  texts.map((text) => {
    const item = valueOrThrow(readItem(text), '--item');
    const {count, rewritten} = alternativeReading(item, text.trim()) ?? {};
    if (rewritten !== undefined)
      context.io.note(
        `${quote(item.description)} counts as 1 × ${formatPesos(item.unit_price)}. If ${count} is the quantity: --item ${shellQuote(rewritten)}`,
      );
    return item;
  });

export const tableFlags = (dependsOn: string[] = []) => ({
  map: Flags.string({
    dependsOn,
    summary: 'Say what a column means: "Singil=unit_price", "Notes=ignore", "Settled=leave_out:yes". Repeatable.',
    helpValue: '<column=meaning>',
    ...repeatable,
  }),
  sheet: Flags.string({dependsOn, summary: 'Sheet of a workbook with several tables.', helpValue: '<name>'}),
  'allow-repeated-items': Flags.boolean({summary: 'Allow identical rows in a statement.', dependsOn}),
});

type TableFlags = Partial<Interfaces.InferredFlags<ReturnType<typeof tableFlags>>> & {readonly yes?: boolean};

export interface SheetOptions extends ItemsOptions {
  /** The flags that say how the table is read. */
  readonly tableWords: readonly string[];
}

/** Reads the flags of a table. @param file as typed @throws CentavoError kind `usage` for an answer that is none */
export async function tableOptionsOf(
  context: Context,
  {map: answers = [], sheet, 'allow-repeated-items': allowRepeated, yes}: TableFlags,
  table: 'ITEM_COLUMNS' | 'STATEMENT_COLUMNS',
  file: string,
): Promise<SheetOptions> {
  const [{comparedCell, readAnswer, [table]: layout}, {columnDecider}] = await Promise.all([
    import('../../../input/spreadsheet/meanings.js'),
    import('./ask-columns.js'),
  ]);
  const map = new Map<string, ColumnAnswer>();
  for (const text of answers) {
    const at = text.lastIndexOf('=');
    if (at < 1)
      throw usageError('invalid_column', `--map ${quote(text)} is not column=meaning.`, {
        hint: 'For example: --map "Notes=ignore"',
      });
    const answer = valueOrThrow(readAnswer(text.slice(at + 1), layout), '--map');
    const key = comparedCell(text.slice(0, at));
    if (map.has(key)) throw usageError('invalid_column', `--map answers ${quote(text.slice(0, at))} twice.`);
    map.set(key, answer);
  }
  const tableWords = answers.flatMap((text) => ['--map', text]);
  if (sheet !== undefined) tableWords.push('--sheet', sheet);
  // With --quiet, no screen could be shown.
  const asks = context.io.canAsk && !yes && !context.io.settings.silent;
  return {map, sheet, allowRepeated, decide: columnDecider(context, {file, layout, asks}), tableWords};
}

/** Reads line items from a spreadsheet and prints its notes. @param name the flag, for errors */
export async function readItemsFile(
  context: Context,
  path: string,
  name: string,
  options: ItemsOptions,
): Promise<StatementItem[]> {
  const bytes = await context.readFile(path, name);
  const {readItems} = await import('../../../input/spreadsheet/items.js');
  const {items, notes} = await readItems(() => [bytes], path, options);
  for (const note of notes) context.io.note(`${path}: ${note}`);
  return items;
}
