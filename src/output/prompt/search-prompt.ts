// A question with many choices, found by typing.

import {openFrame, type FrameOutput} from './frame.js';
import {openKeyboard, type KeySource} from './keyboard.js';
import {EMPTY_FIELD, edited, type Field, type KeyEvent} from './line-field.js';
import {openLines} from './line-reader.js';
import {matching, type Named} from './matching.js';
import {loadMeasure, type Measure} from './measure.js';
import {Unanswered, type Terminal} from './question.js';

/** Choices that are shown at once. */
const MOST = 8;
/** The same without redrawing. */
const LISTED = 20;

/** Message and choices must be clean: they are written as they are. @throws Unanswered */
export async function askSearching<T extends Named>(
  message: string,
  choices: readonly T[],
  {input, output, signal}: Terminal,
): Promise<T> {
  const measure = await loadMeasure();
  return new Promise((resolve, reject) => {
    let field = EMPTY_FIELD;
    let mark: T | undefined = choices[0];
    const draw = (): void => {
      const {width, height} = frame.size();
      const {lines, line, column} = searchLines(
        {message, field, mark, choices, rows: Math.min(MOST, height - 6)},
        width,
        measure,
      );
      frame.draw(lines, {line, column});
    };
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      frame.close();
      keyboard.close();
      settle();
    };
    const stop = (): void => finish(() => reject(new Unanswered('stopped')));
    const hear = (event: KeyEvent): void => {
      if (event.type === 'key' && event.key === 'ctrl-c') return stop();
      if (event.type === 'key' && event.key === 'ctrl-d') return finish(() => reject(new Unanswered('ended')));
      const found = matching(choices, field.text);
      const by = event.type === 'key' ? {up: -1, down: 1, pageup: -MOST, pagedown: MOST}[event.key] : undefined;
      if (by !== undefined) {
        const at = Math.max(0, mark ? found.indexOf(mark) : 0);
        mark = found[Math.min(found.length - 1, Math.max(0, at + by))];
      } else if (event.type === 'key' && event.key === 'enter') {
        const chosen = mark;
        if (chosen) return finish(() => resolve(chosen));
      } else if (event.type === 'key' && event.key === 'escape') {
        field = EMPTY_FIELD;
        mark = choices[0];
      } else {
        const next = edited(field, event);
        if (next && next.text !== field.text) mark = matching(choices, next.text)[0];
        field = next ?? field;
      }
      draw();
    };
    const frame = openFrame(output as unknown as FrameOutput, measure.widthOf, draw);
    const keyboard = openKeyboard({
      input: input as unknown as KeySource,
      onEvent: hear,
      onEnd: () => finish(() => reject(new Unanswered('ended'))),
    });
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, {once: true});
    draw();
  });
}

interface Searching<T extends Named> {
  readonly message: string;
  readonly field: Field;
  readonly mark: T | undefined;
  readonly choices: readonly T[];
  readonly rows: number;
}

function searchLines<T extends Named>(
  {message, field, mark, choices, rows}: Searching<T>,
  width: number,
  {cut, padEnd, tail, widthOf, wrap}: Measure,
): {lines: string[]; line: number; column: number} {
  const found = matching(choices, field.text);
  const at = Math.max(0, mark ? found.indexOf(mark) : 0);
  const start = Math.max(0, Math.min(at - Math.floor(rows / 2), found.length - rows));
  const shown = found.slice(start, start + rows);
  const names = Math.min(Math.max(0, ...shown.map(({name}) => widthOf(name))), Math.floor(width * 0.6));
  const question = wrap(`? ${message}`, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`));
  const prompt = '  Search: ';
  const before = tail(field.text.slice(0, field.cursor), width - widthOf(prompt) - 1);
  const after = cut(field.text.slice(field.cursor), Math.max(1, width - widthOf(prompt + before)));
  return {
    line: question.length,
    column: widthOf(prompt + before),
    lines: [
      ...question,
      `${prompt}${before}${after}`,
      ...shown.map((each) => {
        const row = each.detail === undefined ? each.name : `${padEnd(cut(each.name, names), names)}  ${each.detail}`;
        return `${each === mark ? '❯' : ' '} ${cut(row, width - 2)}`;
      }),
      found.length === 0 ? '  Nothing fits.' : `  ${found.length} of ${choices.length}`,
      cut('Type to search · ↑↓ move · Enter select · Esc clear · Ctrl-C quit', width),
    ],
  };
}

/** In plain lines: a number chooses, other text searches. @throws Unanswered */
export const askSearchingPlainly = <T extends Named>(
  message: string,
  choices: readonly T[],
  {input, output, signal}: Terminal,
): Promise<T> =>
  new Promise((resolve, reject) => {
    let found = choices;
    const list = (): void => {
      const rows = found
        .slice(0, LISTED)
        .map(({name, detail}, index) => `  ${index + 1}. ${name}${detail === undefined ? '' : `  ${detail}`}\n`);
      const more = found.length > LISTED ? [`  and ${found.length - LISTED} more\n`] : [];
      output.write([...rows, ...more, 'Number, or a part of the name: '].join(''));
    };
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      lines.close();
      settle();
    };
    const stop = (): void => finish(() => reject(new Unanswered('stopped')));
    const lines = openLines(input, {
      onLine: (text) => {
        const number = /^\s*\d{1,4}\s*$/.test(text) ? Number(text) : 0;
        const chosen = number > 0 ? found.slice(0, LISTED)[number - 1] : undefined;
        if (chosen) return finish(() => resolve(chosen));
        found = matching(choices, text);
        if (found.length === 0) {
          output.write('Nothing fits.\n');
          found = choices;
        }
        list();
      },
      onEnd: () => finish(() => reject(new Unanswered('ended'))),
    });
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, {once: true});
    output.write(`${message}\n`);
    list();
  });
