// The keyboard during a series of questions. It stays raw, so that nothing typed in between is shown or lost.

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
  /** Leaves raw mode before a suspension; `take` enters it again. */
  readonly release: () => void;
  readonly take: () => void;
}

const PASTE_BEGINS = '\u001B[200~';
const PASTE_ENDS = '\u001B[201~';
/** Bracketed paste. */
export const MARK_PASTES = '\u001B[?2004h';
export const MARK_NO_PASTES = '\u001B[?2004l';
/** Milliseconds after which Escape is a key of its own, not the beginning of a sequence. */
const LONE_ESCAPE = 32;
/** Milliseconds of silence that end a paste without marks. */
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

/** Keys that pasted text does not contain: Ctrl-C, Escape, Backspace. */
// oxlint-disable-next-line no-control-regex
const ACTING = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

export function openKeyboard({input, onEvent, onEnd}: KeyboardOptions): Keyboard {
  const decoder = new TextDecoder();
  let rest = '';
  let pasted: string | undefined;
  /** Pasted lines without marks. */
  let burst: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const endBurst = (): void => {
    const text = burst!;
    burst = undefined;
    // Enter held down, or pressed twice, counts once.
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
    // A line break within one chunk of text is a paste: nobody types that fast.
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

  /** Emits the next event. @returns false if it is incomplete */
  function next(): boolean {
    if (pasted !== undefined) {
      const end = rest.indexOf(PASTE_ENDS);
      if (end < 0) {
        // Keeps a part of the mark.
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
