// Text in pieces that end where a line ends, whatever ends the lines of the file; in them every line ends with LF.

/** A piece without any end of a line is passed on all the same at this length, in characters. */
const LONGEST = 1_000_000;

/** @returns pieces with the number of the line that each begins with, from 1 */
export async function* wholeLines(pieces: AsyncIterable<string>): AsyncIterable<{text: string; line: number}> {
  let line = 1;
  let rest = '';
  const piece = function* (text: string): Iterable<{text: string; line: number}> {
    const normal = text.replace(/\r\n?/g, '\n');
    if (normal) yield {text: normal, line};
    line += linesIn(normal);
  };
  for await (const next of pieces) {
    rest += next;
    // What follows a CR at the very end is not known yet.
    const end = Math.max(rest.lastIndexOf('\n'), rest.lastIndexOf('\r', rest.length - 2)) + 1;
    const cut = end === 0 && rest.length > LONGEST ? rest.length - 1 : end;
    yield* piece(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  yield* piece(rest);
}

/** How many lines end in a text that has only LF. */
export function linesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
