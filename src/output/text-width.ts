// Measures, cuts, pads and wraps text by terminal columns. Wide characters take two columns; graphemes stay whole.

/** Characters of one column: ASCII, Latin letters and a few others. Most cells have only these: measuring is slow. */
const PLAIN = /^[ -~À-ɏ₱·‘’“”–—…×]*$/;

export const isPlain = (text: string): boolean => PLAIN.test(text);

export interface TextMeasure {
  readonly widthOf: (text: string) => number;
  /** Ends with an ellipsis if anything is cut. */
  readonly cut: (text: string, columns: number) => string;
  /** Returns the end of a text, as much as fits. */
  readonly tail: (text: string, columns: number) => string;
  readonly padEnd: (text: string, columns: number) => string;
  readonly padStart: (text: string, columns: number) => string;
  /** Breaks lines at spaces, and within words that are too long. */
  readonly wrap: (text: string, columns: number) => string[];
  /** The width of the widest word that must not be broken. Scripts without spaces can be broken anywhere. */
  readonly widestWord: (text: string) => number;
}

/** Returns a measure for these texts only, or for any text. Loads `string-width` only if a text needs it. */
export async function textMeasureFor(texts?: Iterable<string>): Promise<TextMeasure> {
  let plain = texts !== undefined;
  for (const text of texts ?? []) plain &&= isPlain(text);
  const stringWidth = plain ? lengthOf : (await import('string-width')).default;
  const widthOf = (text: string): number => {
    if (isPlain(text)) return text.length;
    let width = 0;
    for (const piece of pieces(text)) width += stringWidth(piece);
    return width;
  };
  const fitting = (graphemes: Iterable<string>, columns: number): string[] => {
    const kept: string[] = [];
    let used = 0;
    for (const grapheme of graphemes) {
      used += widthOf(grapheme);
      if (used > columns) break;
      kept.push(grapheme);
    }
    return kept;
  };
  const padding = (text: string, columns: number): string => ' '.repeat(Math.max(0, columns - widthOf(text)));
  return {
    widthOf,
    cut: (text, columns) =>
      widthOf(text) <= columns
        ? text
        : `${fitting(graphemesOf(text), columns - 1)
            .join('')
            .trimEnd()}…`,
    tail: (text, columns) =>
      widthOf(text) <= columns
        ? text
        : fitting([...graphemesOf(text)].reverse(), columns)
            .reverse()
            .join(''),
    padEnd: (text, columns) => text + padding(text, columns),
    padStart: (text, columns) => padding(text, columns) + text,
    wrap: (text, columns) => (widthOf(text) <= columns ? [text] : wrapMeasured(text, columns, widthOf)),
    widestWord: (text) =>
      text.split(' ').reduce((widest, word) => Math.max(widest, isPlain(word) ? word.length : 0), 0),
  };
}

const lengthOf = (text: string): number => text.length;

const PIECE = 500;

/** Yields a text in pieces: the time to find a grapheme grows with the text. Keeps surrogate pairs together. */
function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE);
    if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to = Math.min(text.length, to + 1);
    yield text.slice(from, to);
    from = to;
  }
}

function* graphemesOf(text: string): Generator<string> {
  if (isPlain(text)) return yield* text;
  const segmenter = new Intl.Segmenter();
  for (const piece of pieces(text)) for (const {segment} of segmenter.segment(piece)) yield segment;
}

function wrapMeasured(text: string, columns: number, widthOf: TextMeasure['widthOf']): string[] {
  const lines: string[] = [];
  let line = '';
  let free = columns;
  const append = (part: string, width: number): void => {
    line += part;
    free -= width;
  };
  const startLine = (): void => {
    lines.push(line);
    line = '';
    free = columns;
  };
  for (const [index, word] of text.split(' ').entries()) {
    if (index > 0) {
      if (free <= 0) startLine();
      append(' ', 1);
    }
    const width = widthOf(word);
    // A word that is too long starts on a new line if it then takes fewer lines.
    const breaks =
      width > columns ? Math.floor((width - 1) / columns) <= Math.floor((width - free - 1) / columns) : width > free;
    if (breaks && line !== '') startLine();
    if (width <= columns) append(word, width);
    else
      for (const grapheme of graphemesOf(word)) {
        const needed = widthOf(grapheme);
        if (needed > free && line !== '') startLine();
        append(grapheme, needed);
      }
  }
  return [...lines, line].map((each) => each.trim()).filter((each, index) => index === 0 || each !== '');
}
