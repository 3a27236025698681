// A text as one word of a POSIX shell, for commands that are printed to be pasted.

/** Quotes only what needs it. */
export function shellQuote(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
