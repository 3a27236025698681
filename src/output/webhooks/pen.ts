// Lines that fit the screen: cut or wrapped by their width, without secrets.

import type {Style} from '../io.js';

/** Draws lines. */
export interface Pen {
  readonly paint: (style: Style, text: string) => string;
  /** A line that fits and holds no secret, nor the beginning of one. Only whole characters are cut off. */
  readonly cut: (line: string, width: number) => string;
  /** The same over several lines. The last one is cut when there are more. */
  readonly wrap: (line: string, width: number, most: number) => string[];
}

/** @param redact removes secrets from a line */
export async function loadPen(paint: Pen['paint'], redact: (line: string) => string): Promise<Pen> {
  const [{default: widthOf}, {default: wrapAnsi}] = await Promise.all([import('string-width'), import('wrap-ansi')]);
  const segmenter = new Intl.Segmenter();
  const cut = (whole: string, width: number): string => {
    const line = redact(whole);
    if (widthOf(line) <= width) return line;
    let result = '';
    let taken = 0;
    for (const {segment} of segmenter.segment(line)) {
      taken += widthOf(segment);
      if (taken > width - 1) break;
      result += segment;
    }
    return `${result}…`;
  };
  const wrap = (whole: string, width: number, most: number): string[] => {
    const lines = wrapAnsi(redact(whole), width, {hard: true}).split('\n');
    if (lines.length <= most) return lines;
    return [...lines.slice(0, most - 1), cut(lines.slice(most - 1).join(' '), width)];
  };
  return {paint, cut, wrap};
}
