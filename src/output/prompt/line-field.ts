// Edits a line of text: the effect of each key.

export interface LineField {
  readonly text: string;
  /** In UTF-16 units; always between two graphemes. */
  readonly cursor: number;
}

export type KeyEvent =
  | {readonly type: 'key'; readonly key: string}
  | {readonly type: 'paste'; readonly text: string}
  | {readonly type: 'text'; readonly text: string};

export const lineFieldOf = (text: string): LineField => ({text, cursor: text.length});
export const EMPTY_FIELD = lineFieldOf('');

const segmenter = new Intl.Segmenter();

/** Returns the indexes at which the cursor may stop: the start of each grapheme, and the end of the text. */
const stopsOf = (text: string): number[] => [...[...segmenter.segment(text)].map(({index}) => index), text.length];

/** Returns the field after an event; undefined for a key that does not edit. */
export function editLine(field: LineField, event: KeyEvent): LineField | undefined {
  if (event.type !== 'key') return inserted(field, event.text);
  const {text, cursor} = field;
  const left = (): number => stopsOf(text).findLast((stop) => stop < cursor) ?? 0;
  const right = (): number => stopsOf(text).find((stop) => stop > cursor) ?? text.length;
  const without = (from: number, to: number): LineField => ({text: text.slice(0, from) + text.slice(to), cursor: from});
  switch (event.key) {
    case 'left':
    case 'ctrl-b':
      return {text, cursor: left()};
    case 'right':
    case 'ctrl-f':
      return {text, cursor: right()};
    case 'home':
    case 'ctrl-a':
      return {text, cursor: 0};
    case 'end':
    case 'ctrl-e':
      return {text, cursor: text.length};
    case 'backspace':
      return without(left(), cursor);
    case 'delete':
      return without(cursor, right());
    case 'ctrl-u':
      return without(0, cursor);
    case 'ctrl-k':
      return without(cursor, text.length);
    case 'ctrl-w':
      return without(/(?:^|\s)\S*\s*$/.exec(text.slice(0, cursor))!.index, cursor);
    default:
      return undefined;
  }
}

function inserted({text, cursor}: LineField, more: string): LineField {
  const line = more.replace(/[\r\n\t]+/g, ' ');
  return {text: text.slice(0, cursor) + line + text.slice(cursor), cursor: cursor + line.length};
}
