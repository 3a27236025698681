// The keyboard from the first question of several to the last: raw all the while, so that nothing typed between them is shown
// or lost, and what is pasted comes as one event.

import type {KeyEvent} from './line-field.js';

/** Stdin at a terminal. */
export interface KeySource {
  on(event: 'close' | 'end', listener: () => void): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'close' | 'end', listener: () => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  setRawMode(raw: boolean): unknown;
}

export interface KeyboardOptions {
  readonly input: KeySource;
  readonly onEvent: (event: KeyEvent) => void;
  /** The terminal was closed. */
  readonly onEnd: () => void;
}

export interface Keyboard {
  readonly close: () => void;
  /** Gives the terminal back, and takes it again: around a suspension. */
  readonly release: () => void;
  readonly take: () => void;
}

const PASTE_BEGINS = '\u001B[200~';
const PASTE_ENDS = '\u001B[201~';
/** Asks the terminal to mark what is pasted. */
export const MARK_PASTES = '\u001B[?2004h';
export const MARK_NO_PASTES = '\u001B[?2004l';
/** Milliseconds after which an Escape is one, and no beginning of another key. */
const LONE_ESCAPE = 32;
/** Milliseconds of quiet that end what is pasted without marks. */
const QUIET = 25;

const KEYS: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u007F': 'backspace',
  '\b': 'backspace',
  '\t': 'tab',
  '\u001B': 'escape',
  '[A': 'up',
  '[B': 'down',
  '[C': 'right',
  '[D': 'left',
  OA: 'up',
  OB: 'down',
  OC: 'right',
  OD: 'left',
  '[H': 'home',
  '[F': 'end',
  OH: 'home',
  OF: 'end',
  '[1~': 'home',
  '[4~': 'end',
  '[7~': 'home',
  '[8~': 'end',
  '[3~': 'delete',
  '[5~': 'pageup',
  '[6~': 'pagedown',
};

// oxlint-disable-next-line no-control-regex
const SEQUENCE = /^\u001B(\[[0-?]*[ -/]*[@-~]|O[A-Za-z])/;
// oxlint-disable-next-line no-control-regex
const UNFINISHED = /^\u001B(?:\[[0-?]*[ -/]*|O)?$/;

/** Keys that no pasted text has: Ctrl-C, Escape, Backspace and the like. */
// oxlint-disable-next-line no-control-regex
const ACTING = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

export function openKeyboard({input, onEvent, onEnd}: KeyboardOptions): Keyboard {
  const decoder = new TextDecoder();
  let rest = '';
  let pasted: string | undefined;
  /** Lines that come without marks, until nothing more comes. */
  let burst: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const endBurst = (): void => {
    const text = burst!;
    burst = undefined;
    // Enter that was held, or pressed twice, is one.
    onEvent(/^[\r\n]+$/.test(text) ? {type: 'key', key: 'enter'} : {type: 'paste', text});
  };
  const gather = (text: string): void => {
    burst = (burst ?? '') + text;
    clearTimeout(timer);
    timer = setTimeout(endBurst, QUIET);
  };

  function onData(chunk: Buffer | string): void {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, {stream: true});
    if (burst === undefined) clearTimeout(timer);
    // A line break amid other text: no person types that fast.
    const isPlain = pasted === undefined && rest === '' && !ACTING.test(text);
    if (isPlain && (burst !== undefined || /[\r\n](?=[^])(?!\n$)/.test(text))) return gather(text);
    if (burst !== undefined) {
      clearTimeout(timer);
      endBurst();
    }
    rest += text;
    while (rest !== '' && next()) {}
    if (rest !== '' && pasted === undefined)
      timer = setTimeout(() => {
        const left = rest;
        rest = '';
        if (left === '\u001B') onEvent({type: 'key', key: 'escape'});
      }, LONE_ESCAPE);
  }

  /** Takes one event from what has come. @returns whether there was a whole one */
  function next(): boolean {
    if (pasted !== undefined) {
      const end = rest.indexOf(PASTE_ENDS);
      if (end < 0) {
        // The mark may have come in part.
        const keep = Math.max(0, rest.length - PASTE_ENDS.length + 1);
        pasted += rest.slice(0, keep);
        rest = rest.slice(keep);
        return false;
      }
      const text = pasted + rest.slice(0, end);
      pasted = undefined;
      rest = rest.slice(end + PASTE_ENDS.length);
      onEvent({type: 'paste', text});
      return true;
    }
    if (rest.startsWith(PASTE_BEGINS)) {
      pasted = '';
      rest = rest.slice(PASTE_BEGINS.length);
      return true;
    }
    if (rest.startsWith('\u001B')) {
      const sequence = SEQUENCE.exec(rest);
      if (sequence) {
        rest = rest.slice(sequence[0].length);
        const key = KEYS[sequence[1]!];
        if (key !== undefined) onEvent({type: 'key', key});
        return true;
      }
      if (UNFINISHED.test(rest)) return false;
      rest = rest.slice(1);
      onEvent({type: 'key', key: 'escape'});
      return true;
    }
    const [first = ''] = rest;
    if (first < ' ' || first === '\u007F') {
      // Enter may be two characters.
      rest = rest.slice(rest.startsWith('\r\n') ? 2 : 1);
      onEvent({type: 'key', key: KEYS[first] ?? `ctrl-${String.fromCharCode(first.charCodeAt(0) + 96)}`});
      return true;
    }
    // oxlint-disable-next-line no-control-regex
    const [text] = /^[^\u0000-\u001F\u007F]+/.exec(rest)!;
    rest = rest.slice(text.length);
    onEvent({type: 'text', text});
    return true;
  }

  const take = (): void => {
    input.setRawMode(true);
    input.resume();
  };
  const release = (): void => {
    input.setRawMode(false);
    input.pause();
  };
  input.on('data', onData);
  for (const event of ['end', 'close'] as const) input.on(event, onEnd);
  take();
  return {
    take,
    release,
    close: () => {
      clearTimeout(timer);
      input.off('data', onData);
      for (const event of ['end', 'close'] as const) input.off(event, onEnd);
      release();
    },
  };
}
