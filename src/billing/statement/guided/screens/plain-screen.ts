// Prints the guided flow as plain lines, without redrawing.

import {oneLineText, multiLineText} from '../../../../output/format.js';
import {openLines} from '../../../../output/prompt/line-reader.js';
import {textMeasureFor} from '../../../../output/text-width.js';
import {STEPS} from '../reducer.js';
import type {OpenScreen} from '../session.js';

export const openPlainScreen: OpenScreen = async ({host, io}, {onEvent, onLeave}) => {
  const output = host.stderr;
  const {widthOf, wrap} = await textMeasureFor();
  let step: string | undefined;
  let mark: string | undefined;
  let paused = false;
  const write = (text: string): void => {
    try {
      output.write(multiLineText(io.redact(text.split('\n').flatMap(wrapped).join('\n'))));
    } catch {
      // The terminal was closed.
    }
  };
  const wrapped = (line: string): string[] => {
    const [indent] = /^ */.exec(line)!;
    if (line.endsWith(': ') || widthOf(line) <= io.width) return [line];
    // Indent continued lines, because a long name must not look like a line of its own.
    const more = `${indent}  `;
    return wrap(line.trimStart(), io.width - more.length).map((each, at) => (at === 0 ? indent : more) + each);
  };
  const lines = openLines(host.stdin as unknown as NodeJS.ReadableStream, {
    onLine: (text) => {
      if (!paused) onEvent({type: 'line', text});
    },
    onEnd: onLeave,
  });
  return {
    show: (state, event) => {
      // Do not repeat the question when data arrives, unless the user asked for it.
      if (event?.type === 'people' && state.plainLines.length === 0) return;
      const asLine = (line: string): string => `${oneLineText(line)}\n`;
      const plainLines = state.plainLines.map(asLine);
      const title = step === undefined ? [asLine(`${state.title}, ${state.account}`)] : [];
      const isNew =
        step !== state.step ||
        paused ||
        (state.step === 'unfinished' && mark !== state.mark && state.effect === undefined);
      paused = false;
      if (state.busy !== undefined) return write([...title, ...plainLines, `${state.busy}\n`].join(''));
      // Text typed ahead must not answer these questions.
      if (isNew && /^(confirm|review)$/.test(state.step)) lines.dropPending();
      const {ask, askPlainly = ask, intro} = STEPS[state.step];
      const words = isNew ? (intro?.(state) ?? []).map(asLine) : [];
      step = state.step;
      mark = state.mark;
      write([...title, ...plainLines, ...words, `${askPlainly(state)} `].join(''));
    },
    pause: () => {
      paused = true;
    },
    close: () => lines.close(),
  };
};
