// Which character stands between the cells: the one with which the first row has columns that are known.

import {csvOptions} from './csv.js';
import {refuseFile} from './faults.js';

const SEPARATORS = {',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe'} as const;

export type Separator = keyof typeof SEPARATORS;

export const separatorName = (separator: Separator): string => SEPARATORS[separator];

/** Rows at the beginning among which a header is looked for, to say where it is. */
const ROWS_LOOKED_AT = 12;

/** The line with which Excel is told the separator. */
const NAMED = /^"?sep=([^"\n]+)"?(?:\n|$)/i;

/**
 * @param text the beginning of the file
 * @param isHeader whether these cells name columns that are needed
 * @returns the separator, and how many characters name it in a line of its own
 * @throws CentavoError kind `usage` where two fit
 */
export async function findSeparator(
  text: string,
  file: string,
  isHeader: (cells: readonly string[]) => boolean,
): Promise<{readonly separator: Separator; readonly skip: number}> {
  const named = NAMED.exec(text);
  if (named) {
    const separator = named[1]!.trim() === '' ? named[1]! : named[1]!.trim();
    if (isSeparator(separator)) return {separator, skip: named[0].length};
    refuseFile(
      file,
      `its first line names ${JSON.stringify(separator)} as what stands between cells.`,
      'Save it with commas, semicolons or tabs.',
    );
  }
  const {parse} = await import('csv-parse/sync');
  const rowsOf = (separator: string, to: number): string[][] => {
    try {
      return parse(text, {...csvOptions(separator), to, skip_records_with_empty_values: true});
    } catch {
      return [];
    }
  };
  const all = Object.keys(SEPARATORS).filter(isSeparator);
  const first = new Map(all.map((separator) => [separator, rowsOf(separator, 1)[0] ?? []]));
  const fits = all.filter((separator) => isHeader(first.get(separator)!));
  if (fits.length > 1)
    refuseFile(
      file,
      `its cells may be separated by ${fits.map(separatorName).join(' or ')}.`,
      'Save it again as .xlsx, or with every cell in quotation marks.',
    );
  // Without a header that is known: where one stands further down, or what divides the first row most.
  const further = all.find((separator) => rowsOf(separator, ROWS_LOOKED_AT).some(isHeader));
  const most = all.reduce((best, each) => (first.get(each)!.length > first.get(best)!.length ? each : best));
  return {separator: fits[0] ?? further ?? most, skip: 0};
}

const isSeparator = (text: string): text is Separator => Object.hasOwn(SEPARATORS, text);
