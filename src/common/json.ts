// Reads and writes JSON without changing a number. Errors give only the place: the parser's message quotes the input.

/** Levels of nesting, more than any real document has. Deeper input is refused before it overflows the stack. */
const MAX_DEPTH = 200;

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof BigJsonNumber);

/** `object`, `array`, `null`, `number`, …; `undefined` for a missing value. */
export const jsonType = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : value instanceof BigJsonNumber ? 'number' : typeof value;

/** Error for invalid JSON. The message is a sentence without its full stop, and never quotes the input. */
export class UnreadableJson extends Error {}

/** A number that JavaScript cannot hold, such as 20 digits. Compares as the nearest number, prints as received. */
export class BigJsonNumber extends Number {
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override toString(): string {
    return this.#text;
  }

  /** Notes that `JSON.stringify` rounded a number; {@link writeJson} then writes the value again in full. */
  toJSON(): number {
    BigJsonNumber.rounded = true;
    return Number(this);
  }

  static rounded = false;
}

/** Parses JSON; a number that JavaScript cannot hold becomes a {@link BigJsonNumber}. @throws UnreadableJson */
export function readJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new UnreadableJson(`It is not JSON (${placeInText((error as Error).message, text)})`);
  }
  if (isDeeper(text, MAX_DEPTH)) throw new UnreadableJson(`It is nested more than ${MAX_DEPTH} levels deep`);
  return MAYBE_LONG.test(text) ? parseExactly(text) : value;
}

/** Returns the JSON value, or the text itself if it is not JSON. */
export function jsonOrText(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return text;
  }
}

/** Matches numbers that `JSON.parse` may change: many digits or an exponent. Strings may match as well. */
const MAYBE_LONG = /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]+[eE])/;

/** Parses without rounding; `JSON.parse` gives the text of numbers only since Node 21. @param text valid JSON */
function parseExactly(text: string): unknown {
  const pattern = /\s*([{}[\],:]|"|[^\s{}[\],:"]+)/y;
  const next = (): string => pattern.exec(text)![1]!;
  const string = (): string => {
    const start = pattern.lastIndex - 1;
    pattern.lastIndex = endOfString(text, start) + 1;
    return JSON.parse(text.slice(start, pattern.lastIndex)) as string;
  };
  const value = (sign: string): unknown => {
    if (sign === '"') return string();
    if (sign === '[') {
      const items: unknown[] = [];
      for (let token = next(); token !== ']'; token = next()) if (token !== ',') items.push(value(token));
      return items;
    }
    if (sign === '{') {
      const entries: [string, unknown][] = [];
      for (let token = next(); token !== '}'; token = next()) {
        if (token === ',') continue;
        const name = string();
        next();
        entries.push([name, value(next())]);
      }
      return Object.fromEntries(entries);
    }
    const parsed: unknown = JSON.parse(sign);
    return typeof parsed === 'number' && digitsOf(String(parsed)) !== digitsOf(sign) ? new BigJsonNumber(sign) : parsed;
  };
  return value(next());
}

/** Significant digits and power of ten, `12e3` for 12000. Equal for numbers of equal magnitude. */
function digitsOf(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [
    number,
  ];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  const power = BigInt(exponent) - BigInt(fraction.length) + BigInt(digits.length - short.length);
  return short === '' ? '0' : `${short}e${power}`;
}

/** Returns JSON with all digits of each {@link BigJsonNumber}. @param indent columns; without it, one line */
export function writeJson(value: unknown, indent?: number): string {
  BigJsonNumber.rounded = false;
  const text = JSON.stringify(value, null, indent);
  return BigJsonNumber.rounded ? writeExactly(value, indent, '\n') : text;
}

/** @param margin a line break and the indentation of the value */
function writeExactly(value: unknown, indent: number | undefined, margin: string): string {
  if (value instanceof BigJsonNumber) return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const inner = indent === undefined ? '' : margin + ' '.repeat(indent);
  const write = (item: unknown): string => writeExactly(item, indent, inner);
  const colon = indent === undefined ? ':' : ': ';
  const parts = Array.isArray(value)
    ? value.map((item) => inner + write(item))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${inner}${JSON.stringify(name)}${colon}${write(item)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return parts.length === 0
    ? `${open}${close}`
    : `${open}${parts.join(',')}${indent === undefined ? '' : margin}${close}`;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_HASH, CLOSE_HASH] = [...'"\\[]{}'].map((sign) =>
  sign.charCodeAt(0),
);

function isDeeper(text: string, max: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at);
    if (sign === QUOTE) at = endOfString(text, at);
    else if (sign === OPEN_LIST || sign === OPEN_HASH) {
      if (++depth > max) return true;
    } else if (sign === CLOSE_LIST || sign === CLOSE_HASH) depth--;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let end = start;
  for (;;) {
    end = text.indexOf('"', end + 1);
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === BACKSLASH) backslashes++;
    if (backslashes % 2 === 0) return end;
  }
}

/** `line 3, column 14`. The parser gives the position of some errors; for others only the line is known. */
function placeInText(message: string, text: string): string {
  const position = positionOf(message);
  if (position !== undefined) {
    const before = text.slice(0, position).split('\n');
    return `line ${before.length}, column ${before.at(-1)!.length + 1}`;
  }
  const lines = text.split('\n');
  // A text is broken once it includes the first bad line, so a binary search finds that line.
  let [good, bad] = [0, lines.length];
  while (good < bad) {
    const middle = (good + bad) >> 1;
    if (couldGoOn(lines.slice(0, middle + 1).join('\n'))) good = middle + 1;
    else bad = middle;
  }
  return `line ${Math.min(good + 1, lines.length)}`;
}

function couldGoOn(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const {message} = error as Error;
    return /end of JSON input$|^Unterminated/.test(message) || positionOf(message) === text.length;
  }
}

function positionOf(message: string): number | undefined {
  const [, position] = / in JSON at position (\d+)(?: \(line \d+ column \d+\))?$/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}
