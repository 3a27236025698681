// The keyboard for questions and screens. Raw mode stays on, so that input typed in between is neither shown nor lost.

import {EventEmitter} from 'node:events';
import {emitKeypressEvents, type Interface, type Key} from 'node:readline';
import type {KeyEvent} from './line-field.js';

export interface KeySource {
  on(event: 'close' | 'end', listener: () => void): unknown;
  on(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  off(event: 'close' | 'end', listener: () => void): unknown;
  off(event: 'data', listener: (chunk: Buffer | string) => void): unknown;
  pause(): unknown;
  resume(): unknown;
  setRawMode?(raw: boolean): unknown;
}

export interface KeyboardOptions {
  readonly input: KeySource;
  readonly onEvent: (event: KeyEvent) => void;
  readonly onEnd: () => void;
}

export interface Keyboard {
  readonly close: () => void;
  /** Leaves raw mode before a suspension, until `acquire` is called. */
  readonly release: () => void;
  readonly acquire: () => void;
}

/** Milliseconds after which Escape is a key of its own, not the start of a sequence. */
const ESCAPE_TIMEOUT = 32;
/** Milliseconds of silence that end a paste without start and end marks. */
const PASTE_TIMEOUT = 25;
/** A line break within one chunk of text means a paste: no user types that fast. */
const INNER_LINE_BREAK = /[\r\n](?=[^])(?!\n$)/;
/** Keys that pasted text does not contain: Ctrl-C, Escape, Backspace. */
// oxlint-disable-next-line no-control-regex
const CONTROL_KEYS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;

/** Decodes input with Node's readline, and reports key events. */
function openDecoder(onEvent: (event: KeyEvent) => void) {
  const keys = new EventEmitter();
  emitKeypressEvents(
    keys as unknown as NodeJS.ReadableStream,
    {escapeCodeTimeout: ESCAPE_TIMEOUT} as unknown as Interface,
  );
  let typed = '';
  let pasted: string | undefined;
  const flush = (): void => {
    const text = typed;
    typed = '';
    if (text !== '') onEvent({type: 'text', text});
  };
  const press = (key: string): void => {
    flush();
    onEvent({type: 'key', key});
  };
  keys.on('keypress', (text: string | undefined, {name = '', ctrl, meta, sequence = ''}: Key) => {
    const key = name === 'return' ? 'enter' : name;
    if (name === 'paste-start') pasted = '';
    else if (name === 'paste-end') {
      onEvent({type: 'paste', text: pasted ?? ''});
      pasted = undefined;
    } else if (pasted !== undefined) pasted += sequence;
    else if (text !== undefined && !ctrl && text >= ' ' && text !== '\u007F') typed += text;
    else if (meta && name !== 'escape') {
      // Escape, followed at once by another key.
      press('escape');
      if (sequence.length === 2 && sequence >= '\u001B ') typed += sequence.slice(1);
      else press(key);
    } else press(ctrl ? `ctrl-${name}` : key);
  });
  return {
    feed: (text: string): void => {
      // Enter may arrive as CRLF.
      keys.emit('data', text.replaceAll('\r\n', '\r'));
      flush();
    },
    isInPaste: (): boolean => pasted !== undefined,
    close: () => void keys.removeAllListeners('keypress'),
  };
}

export function openKeyboard({input, onEvent, onEnd}: KeyboardOptions): Keyboard {
  const bytes = new TextDecoder();
  const keys = openDecoder(onEvent);
  /** Text of a paste without start and end marks. */
  let burst: string | undefined;
  let timer: NodeJS.Timeout | undefined;

  const endBurst = (): void => {
    const text = burst!;
    burst = undefined;
    // Enter held down, or pressed twice, counts once.
    onEvent(/^[\r\n]+$/.test(text) ? {type: 'key', key: 'enter'} : {type: 'paste', text});
  };
  const onData = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : bytes.decode(chunk, {stream: true});
    const isPlain = !keys.isInPaste() && !CONTROL_KEYS.test(text);
    clearTimeout(timer);
    if (isPlain && (burst !== undefined || INNER_LINE_BREAK.test(text))) {
      burst = (burst ?? '') + text;
      timer = setTimeout(endBurst, PASTE_TIMEOUT);
      return;
    }
    if (burst !== undefined) endBurst();
    keys.feed(text);
  };

  const acquire = (): void => {
    input.setRawMode?.(true);
    input.resume();
  };
  const release = (): void => {
    input.setRawMode?.(false);
    input.pause();
  };
  input.on('data', onData);
  for (const event of ['end', 'close'] as const) input.on(event, onEnd);
  acquire();
  return {
    acquire,
    release,
    close: () => {
      clearTimeout(timer);
      keys.close();
      input.off('data', onData);
      for (const event of ['end', 'close'] as const) input.off(event, onEnd);
      release();
    },
  };
}
