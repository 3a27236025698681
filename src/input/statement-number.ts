// The number of a billing statement, as people type it.

/** The customer's prefix and digits. */
const NUMBER = /^[\p{L}\p{N}]{1,40}-\d{1,20}$/u;

/** Whether a text has the form of a statement's number: `JEEPNEY-0002`. */
export const isStatementNumber = (text: string): boolean => NUMBER.test(text);
