// Draws the guided flow on a terminal: one frame, redrawn in place.

import type {KeySource} from '../../../../output/prompt/keyboard.js';
import type {KeyEvent} from '../../../../output/prompt/line-field.js';
import {textMeasureFor} from '../../../../output/text-width.js';
import {openScreen, type ScreenOutput} from '../../../../output/prompt/screen.js';
import type {GuidedState} from '../state.js';
import type {OpenScreen} from '../session.js';
import {guidedViewOf} from './guided-view.js';

/** Milliseconds for which a new question ignores Enter, which was probably meant for the previous question. */
const ENTER_DELAY = 150;
/** Milliseconds for which Enter is ignored at a question where Enter may send. */
const ENTER_DELAY_AT_SENDING = 500;

export const openTerminalScreen: OpenScreen = async ({host, io, nowMilliseconds}, {onEvent, onLeave}) => {
  const measure = await textMeasureFor();
  let shown: GuidedState | undefined;
  let paused = false;
  let ready = false;
  let suspended = false;
  let enterFrom = 0;

  const draw = (): void => {
    if (!shown || paused || suspended) return;
    const paint = (style: Parameters<typeof io.paint>[0], text: string) => io.paint(style, text, 'stderr');
    const {lines, cursor} = guidedViewOf(shown, {...screen.size(), measure, paint});
    screen.draw(
      lines.map((line) => io.redact(line)),
      cursor,
    );
  };

  function handle(event: KeyEvent): void {
    if (event.type === 'key' && (event.key === 'ctrl-c' || event.key === 'ctrl-d'))
      return paused ? host.interrupt() : onLeave();
    if (event.type === 'key' && event.key === 'ctrl-z') return suspend();
    if (paused || !ready) return;
    if (event.type === 'key' && event.key === 'enter' && nowMilliseconds() < enterFrom) return;
    // A user who has pressed another key has seen the question.
    enterFrom = 0;
    onEvent(event);
  }

  const screen = openScreen({
    input: host.stdin as unknown as KeySource,
    output: host.stderr as unknown as ScreenOutput,
    widthOf: measure.widthOf,
    onEvent: handle,
    onEnd: onLeave,
    onResize: draw,
    atExit: host.atExit,
  });

  function suspend(): void {
    suspended = true;
    screen.release();
    host.suspend(() => {
      suspended = false;
      screen.acquire();
      draw();
    });
  }

  // Drop text typed before the question appeared: it arrives within two turns of the event loop.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  ready = true;
  return {
    show: (state) => {
      const asksAgain = state.warned !== undefined && shown?.warned !== state.warned;
      const isNew = paused || asksAgain || shown?.step !== state.step || shown.items !== state.items;
      if (isNew)
        enterFrom = nowMilliseconds() + (/^(confirm|review)$/.test(state.step) ? ENTER_DELAY_AT_SENDING : ENTER_DELAY);
      paused = false;
      shown = state;
      draw();
    },
    pause: () => {
      paused = true;
      screen.clear();
    },
    close: screen.close,
  };
};
