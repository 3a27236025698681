// Measures, cuts, pads and wraps text by the columns of a terminal; wide characters take two.

export interface Measure {
  readonly widthOf: (text: string) => number;
  /** Ends with an ellipsis if something is left out. */
  readonly cut: (text: string, columns: number) => string;
  /** The end of a text that fits. */
  readonly tail: (text: string, columns: number) => string;
  readonly padEnd: (text: string, columns: number) => string;
  readonly padStart: (text: string, columns: number) => string;
  /** Lines broken between words. */
  readonly wrap: (text: string, columns: number) => string[];
}

export async function loadMeasure(): Promise<Measure> {
  const {default: widthOf} = await import('string-width');
  const segmenter = new Intl.Segmenter();
  const charactersOf = (text: string): string[] => [...segmenter.segment(text)].map(({segment}) => segment);
  const fitting = (characters: readonly string[], columns: number): string[] => {
    const taken: string[] = [];
    let used = 0;
    for (const character of characters) {
      used += widthOf(character);
      if (used > columns) break;
      taken.push(character);
    }
    return taken;
  };
  const cut = (text: string, columns: number): string =>
    widthOf(text) <= columns ? text : `${fitting(charactersOf(text), Math.max(0, columns - 1)).join('')}…`;
  const spaces = (text: string, columns: number): string => ' '.repeat(Math.max(0, columns - widthOf(text)));
  return {
    widthOf,
    cut,
    tail: (text, columns) =>
      widthOf(text) <= columns ? text : fitting(charactersOf(text).reverse(), columns).reverse().join(''),
    padEnd: (text, columns) => text + spaces(text, columns),
    padStart: (text, columns) => spaces(text, columns) + text,
    wrap: (text, columns) => {
      const lines: string[] = [];
      let line = '';
      for (const word of text.split(' ')) {
        if (line !== '' && widthOf(line) + 1 + widthOf(word) > columns) {
          lines.push(line);
          line = '';
        }
        line = line === '' ? word : `${line} ${word}`;
        while (widthOf(line) > columns) {
          const first = fitting(charactersOf(line), columns).join('');
          lines.push(first);
          line = line.slice(first.length);
        }
      }
      return [...lines, line];
    },
  };
}
