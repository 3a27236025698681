// The number of a billing statement, as people type it: whole, or only the digits behind the prefix.

/** The customer's prefix and digits. */
const NUMBER = /^[\p{L}\p{N}]{1,40}-\d{1,20}$/u;

/** Whether a text has the form of a statement's number: `JEEPNEY-0002`. */
export const isStatementNumber = (text: string): boolean => NUMBER.test(text);

/** Whether a text has only the digits of a number: `0002`, or `2`. */
export const isSequence = (text: string): boolean => /^\d{1,20}$/.test(text);

/** Whether these are the digits of a number; zeros before them do not matter. */
export const hasSequence = (number: string, digits: string): boolean =>
  /-0*(\d+)$/.exec(number)?.[1] === digits.replace(/^0+(?=\d)/, '');
