// A question with many choices, found by typing.

import {textMeasureFor} from '../text-width.js';
import type {KeySource} from './keyboard.js';
import {EMPTY_FIELD, editLine, type KeyEvent} from './line-field.js';
import {fieldLine, choiceListLines, rowsMoved} from './list.js';
import {matchingChoices} from './matching.js';
import {PromptEnded, type AskOnTerminal} from './question.js';
import {openScreen, type ScreenOutput} from './screen.js';

/** Maximum choices shown at a time. */
const MAX_SHOWN_CHOICES = 8;
const PROMPT = '  Search: ';

export const askSearching: AskOnTerminal = async ({message, choices = []}, {input, output, signal}) => {
  const ruler = await textMeasureFor();
  return new Promise((resolve, reject) => {
    let field = EMPTY_FIELD;
    let found = choices;
    let selected = 0;
    const draw = (): void => {
      const {width, height} = screen.size();
      const question = ruler.wrap(`? ${message}`, width - 2).map((line, index) => (index === 0 ? line : `  ${line}`));
      const {text, column} = fieldLine(PROMPT, field, {width, ruler});
      const lines = [
        ...question,
        PROMPT + text,
        ...choiceListLines(found, {selected, width, rows: Math.min(MAX_SHOWN_CHOICES, height - 6), ruler}),
        found.length === 0 ? '  No matches.' : `  ${found.length} of ${choices.length}`,
        ruler.cut('Type to search · ↑↓ move · Enter select · Esc clear · Ctrl-C quit', width),
      ];
      screen.draw(lines, {line: question.length, column});
    };
    const finish = (settle: () => void): void => {
      signal.removeEventListener('abort', stop);
      screen.close();
      settle();
    };
    const stop = (): void => finish(() => reject(new PromptEnded('stopped')));
    const handle = (event: KeyEvent): void => {
      if (event.type === 'key' && event.key === 'ctrl-c') return stop();
      if (event.type === 'key' && event.key === 'ctrl-d') return finish(() => reject(new PromptEnded('ended')));
      const offset = rowsMoved(event, MAX_SHOWN_CHOICES);
      const next = event.type === 'key' && event.key === 'escape' ? EMPTY_FIELD : editLine(field, event);
      if (offset !== undefined) selected = Math.max(0, Math.min(found.length - 1, selected + offset));
      else if (event.type === 'key' && event.key === 'enter') {
        const chosen = found[selected];
        if (chosen) return finish(() => resolve(chosen.value));
      } else if (next) {
        if (next.text !== field.text) {
          found = matchingChoices(choices, next.text);
          selected = 0;
        }
        field = next;
      }
      draw();
    };
    const screen = openScreen({
      input: input as unknown as KeySource,
      output: output as unknown as ScreenOutput,
      widthOf: ruler.widthOf,
      onResize: draw,
      onEvent: handle,
      onEnd: () => finish(() => reject(new PromptEnded('ended'))),
    });
    if (signal.aborted) return stop();
    signal.addEventListener('abort', stop, {once: true});
    draw();
  });
};
