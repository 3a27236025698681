// Measures, cuts and wraps text for a terminal. Packages are loaded only for text that needs them.

/** Characters of one column: ASCII, Latin letters and a few others. Most cells have only these; measuring is slow. */
const PLAIN = /^[ -~À-ɏ₱·‘’“”–—…×]*$/;

export const isPlain = (text: string): boolean => PLAIN.test(text);

export interface Ruler {
  /** Columns of the terminal. */
  readonly widthOf: (text: string) => number;
  /** Ends with an ellipsis if something is left out; halves no grapheme. */
  readonly cut: (text: string, width: number) => string;
  /** The width of the widest word that must not be broken. Scripts without spaces can be broken anywhere. */
  readonly widestWord: (text: string) => number;
}

/** A ruler for these texts only. */
export async function rulerFor(texts: Iterable<string>): Promise<Ruler> {
  let plain = true;
  for (const text of texts) plain &&= isPlain(text);
  const stringWidth = plain ? lengthOf : (await import('string-width')).default;
  const widthOf = (text: string): number => {
    if (isPlain(text)) return text.length;
    let width = 0;
    for (const piece of pieces(text)) width += stringWidth(piece);
    return width;
  };
  return {
    widthOf,
    cut: (text, width) => {
      if (widthOf(text) <= width) return text;
      if (isPlain(text)) return `${text.slice(0, width - 1).trimEnd()}…`;
      let kept = '';
      for (const {segment} of new Intl.Segmenter().segment(text)) {
        if (widthOf(kept + segment) > width - 1) break;
        kept += segment;
      }
      return `${kept.trimEnd()}…`;
    },
    widestWord: (text) =>
      text.split(' ').reduce((widest, word) => Math.max(widest, isPlain(word) ? word.length : 0), 0),
  };
}

const PIECE = 500;

/** A text in pieces, because the time to find a grapheme grows with the text. Surrogate pairs are kept together. */
function* pieces(text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    let to = Math.min(text.length, from + PIECE);
    if (/[\uD800-\uDBFF]/.test(text.charAt(to - 1))) to = Math.min(text.length, to + 1);
    yield text.slice(from, to);
    from = to;
  }
}

/** Breaks these texts at spaces, and longer words anywhere. @param longest the texts that are too wide */
export async function wrapperFor(longest: Iterable<string>): Promise<(text: string, width: number) => string[]> {
  let plain = true;
  for (const text of longest) plain &&= isPlain(text);
  const wrapAnsi = plain ? undefined : (await import('wrap-ansi')).default;
  const {widthOf} = await rulerFor(longest);
  return (text, width) => {
    const lines =
      !wrapAnsi || isPlain(text)
        ? wrapPlain(text, width)
        : text.split(' ').some((word) => word.length > LONGEST_WORD)
          ? wrapAnywhere(text, width, widthOf)
          : wrapAnsi(text, width, {hard: true, trim: false}).split('\n');
    return lines.map((line) => line.trim()).filter((line, index) => index === 0 || line !== '');
  };
}

/** wrap-ansi takes quadratic time for a word: several seconds for ten thousand characters. */
const LONGEST_WORD = 500;

function wrapAnywhere(text: string, width: number, widthOf: (text: string) => number): string[] {
  const lines: string[] = [];
  let line = '';
  let left = width;
  const segmenter = new Intl.Segmenter();
  for (const piece of pieces(text)) {
    for (const {segment} of segmenter.segment(piece)) {
      const needed = widthOf(segment);
      if (needed > left && line !== '') {
        lines.push(line);
        line = '';
        left = width;
      }
      line += segment;
      left -= needed;
    }
  }
  return [...lines, line];
}

export async function wrapLines(lines: readonly string[], width: number): Promise<string[]> {
  const {widthOf} = await rulerFor(lines);
  const wrap = await wrapperFor(lines.filter((line) => widthOf(line) > width));
  return lines.flatMap((line) => (widthOf(line) > width ? wrap(line, width) : [line]));
}

const lengthOf = (text: string): number => text.length;

/** Wraps plain text exactly as wrap-ansi does, which takes longer to load than a whole table to print. */
export function wrapPlain(text: string, width: number): string[] {
  const lines = [''];
  const last = (): string => lines.at(-1)!;
  const append = (more: string): void => {
    lines[lines.length - 1] += more;
  };
  for (const [index, word] of text.split(' ').entries()) {
    if (index > 0) {
      if (last().length >= width) lines.push('');
      append(' ');
    }
    if (word.length <= width) {
      if (last().length > 0 && word.length > 0 && last().length + word.length > width) lines.push('');
      append(word);
      continue;
    }
    // A word that is too long begins on a new line if it takes fewer lines there.
    const here = 1 + Math.floor((word.length - (width - last().length) - 1) / width);
    if (Math.floor((word.length - 1) / width) < here) lines.push('');
    for (let rest = word; rest !== '';) {
      if (last().length >= width) lines.push('');
      const part = rest.slice(0, width - last().length);
      append(part);
      rest = rest.slice(part.length);
    }
  }
  return lines;
}

/** Every text of a table. */
export function* textsOf(
  columns: readonly {readonly header: string}[],
  rows: readonly (readonly {readonly text: string}[])[],
): Generator<string> {
  for (const {header} of columns) yield header;
  for (const row of rows) for (const {text} of row) yield text;
}
