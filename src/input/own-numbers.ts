// Compares merchants' own numbers of statements: the external ids of spreadsheets and of metadata. Part of `input`, which
// every module that compares typed texts may import.

/** The name of a row without a number of its own. */
export const unnumberedId = (line: number): string => `row ${line}`;

export const isNumbered = ({external_id: id, line}: {readonly external_id: string; readonly line: number}): boolean =>
  id !== unnumberedId(line);

/** The form in which numbers are stored. Equal numbers name one statement: files write accents and spaces differently. */
export const ownNumber = (text: string): string => text.normalize('NFC').replace(/\s+/g, ' ').trim();

/**
 * Returns the same text for numbers that look alike: they differ only in width, invisible characters, hyphens, case, or the
 * `.0` that programs add to whole numbers. Upper case, because most numbers then stay as they are.
 */
export const lookOf = (number: string): string =>
  ownNumber(number.normalize('NFKC'))
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}]/gu, '')
    .replace(/ ?[\p{Dash}\u02D7\u2043\u2796] ?/gu, '-')
    .toUpperCase()
    .trim()
    .replace(/^(\d+)\.0+$/, '$1');
