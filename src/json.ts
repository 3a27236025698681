// Reads JSON from outside. Errors name the place only, because the parser's message quotes the input.

/** No real document is nested this deep. Deeper ones are refused, before walking through them overflows the stack. */
const DEEPEST_JSON = 200;

/** Whether a value is an object with names, and not a list. */
export const isHash = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A text that is not JSON, or is nested too deep. The message is a sentence without its full stop, and quotes nothing. */
export class UnreadableJson extends Error {}

/** @throws UnreadableJson */
export function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableJson(`It is not JSON (${placeOf((error as Error).message, text)})`);
  }
  if (isDeeper(text, DEEPEST_JSON)) throw new UnreadableJson(`It is nested more than ${DEEPEST_JSON} levels deep`);
  return value;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_HASH, CLOSE_HASH] = [...'"\\[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

/** @param text valid JSON */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === OPEN_LIST || sign === OPEN_HASH) {
      if (++depth > most) return true;
    } else if (sign === CLOSE_LIST || sign === CLOSE_HASH) depth--;
  }
  return false;
}

/** The index of the quote that ends the string which begins at this one. @param text valid JSON */
function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

/** Where it stops being JSON: `line 3, column 14`. The parser gives the position of some faults; for others only the line is found. */
function placeOf(message: string, text: string): string {
  const position = positionOf(message);
  if (position !== undefined) {
    const before = text.slice(0, position).split('\n');
    return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  }
  const lines = text.split('\n');
  // What went wrong stays wrong in all that follows, so that halving finds where it began.
  let [good, bad] = [0, lines.length];
  while (good < bad) {
    const middle = (good + bad) >> 1;
    if (couldGoOn(lines.slice(0, middle + 1).join('\n'))) good = middle + 1;
    else bad = middle;
  }
  return `line ${Math.min(good + 1, lines.length)}`;
}

/** Whether a text is JSON, or the beginning of some. */
function couldGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const {message} = error as Error;
    return /end of JSON input$|^Unterminated/.test(message) || positionOf(message) === text.length;
  }
}

/** What quotes the text ends otherwise. */
function positionOf(message: string): number | undefined {
  const [, position] = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}
