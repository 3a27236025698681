// The keyboard of a series of questions. Raw mode stays on between them, and keys typed ahead wait for the next question.

import {EventEmitter} from 'node:events';
import {emitKeypressEvents, type Interface, type Key} from 'node:readline';
import {PromptEnded, type RawInput} from './asker.js';

interface KeyboardOptions {
  readonly input: RawInput;
  readonly now: () => number;
  /** Ctrl-C, Ctrl-D, or the end of the input. */
  readonly onLeave: (reason: 'ended' | 'stopped') => void;
}

/** Milliseconds after which Escape is a key of its own, not the start of a sequence. */
const ESCAPE_TIMEOUT = 32;
/** Milliseconds of silence that end a paste without start and end marks. */
const PASTE_TIMEOUT = 25;
/** Milliseconds in which a second Enter is the same press: held down, or pressed twice. */
const BOUNCE = 150;
/** A line break within one chunk of text may be a paste: no user types that fast. */
const INNER_LINE_BREAK = /[\r\n](?=[^])(?!\n$)/;
/** Keys that pasted text does not contain: Ctrl-C, Escape, Backspace. */
// oxlint-disable-next-line no-control-regex
const CONTROL_KEYS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F]/;
/** Reading fails with EIO if the terminal is closed before its SIGHUP arrives. */
const ENDS = ['end', 'close', 'error'] as const;
/** Keys of our own questions that readline must not handle: it would end the line, or change it. */
const OWN_NAMES: Readonly<Record<string, string>> = {
  ...{return: 'accept', enter: 'accept', tab: 'take', up: 'previous', down: 'next'},
  ...{'ctrl-p': 'previous', 'ctrl-n': 'next'},
};

/** Returns an emitter of `keypress` for its `data`. A decoder at the stream would keep the timeout of an earlier question. */
export function keyDecoder(): EventEmitter {
  const decoder = new EventEmitter();
  const timeout = {escapeCodeTimeout: ESCAPE_TIMEOUT} as unknown as Interface;
  emitKeypressEvents(decoder as unknown as NodeJS.ReadableStream, timeout);
  return decoder;
}

/**
 * An old-style stream that reads the terminal and emits `keypress` while a question listens. `accept` is Enter, `take` is Tab,
 * and `paste` has the pasted text as its sequence.
 */
export class Keyboard extends EventEmitter {
  readonly isTTY = true;
  readonly #decoder = keyDecoder();
  readonly #bytes = new TextDecoder();
  #waiting: Key[] = [];
  #typed = '';
  #pasted: string | undefined;
  /** Text of a paste without start and end marks. */
  #burst: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #enteredAt = -Infinity;
  #isList: ((text: string) => boolean) | undefined;
  #isStock = false;
  #isListening = false;

  constructor(private readonly options: KeyboardOptions) {
    super();
    this.#decoder.on('keypress', this.#decode);
    options.input.on('data', this.#read);
    for (const event of ENDS) options.input.on(event, this.#end);
    this.acquire();
  }

  // The prompts open and close their input; the terminal stays as it is.
  readonly setRawMode = (): this => this;
  readonly pause = (): this => this;
  readonly resume = (): this => this;

  /**
   * Delivers what was typed ahead, and then each key.
   * @param isList tells an unmarked paste from typed keys
   * @param isStock for a prompt of inquirer: keys have their usual names, and a paste is typed text
   */
  listen(isList?: (text: string) => boolean, isStock = false): void {
    this.#isList = isList;
    this.#isStock = isStock;
    this.#isListening = true;
    this.#deliver();
  }

  hold(): void {
    this.#isListening = false;
  }

  /** Drops what was typed ahead. */
  drop(): void {
    this.#waiting = [];
  }

  dropEnter(): void {
    this.#waiting = this.#waiting.filter((key) => !isEnter(key));
  }

  acquire(): void {
    this.options.input.setRawMode(true);
    this.options.input.resume();
  }

  release(): void {
    this.options.input.setRawMode(false);
    this.options.input.pause();
  }

  close(): void {
    const {input} = this.options;
    clearTimeout(this.#timer);
    this.#decoder.removeAllListeners();
    input.off('data', this.#read);
    this.release();
    for (const event of ENDS) input.off(event, this.#end);
  }

  readonly #end = (): void => this.options.onLeave('ended');

  readonly #read = (chunk: Buffer | string): void => {
    const text = typeof chunk === 'string' ? chunk : this.#bytes.decode(chunk, {stream: true});
    const isPlain = this.#pasted === undefined && !CONTROL_KEYS.test(text);
    clearTimeout(this.#timer);
    if (isPlain && (this.#burst !== undefined || INNER_LINE_BREAK.test(text))) {
      this.#burst = (this.#burst ?? '') + text;
      this.#timer = setTimeout(this.#endBurst, PASTE_TIMEOUT);
      return;
    }
    this.#endBurst();
    this.#feed(text);
  };

  readonly #endBurst = (): void => {
    const text = this.#burst;
    this.#burst = undefined;
    if (text === undefined) return;
    if (this.#isListening && this.#isList?.(text)) this.#push({name: 'paste', sequence: text});
    else this.#feed(text);
  };

  #feed(text: string): void {
    // Enter may arrive as CRLF.
    this.#decoder.emit('data', text.replaceAll('\r\n', '\r'));
    this.#flush();
  }

  readonly #decode = (text: string | undefined, key: Key): void => {
    const {name = '', ctrl, meta, sequence = ''} = key;
    if (name === 'paste-start') this.#pasted = '';
    else if (name === 'paste-end') {
      this.#push({name: 'paste', sequence: this.#pasted ?? ''});
      this.#pasted = undefined;
    } else if (this.#pasted !== undefined) this.#pasted += sequence;
    else if (text !== undefined && !ctrl && text >= ' ' && text !== '\u007F') this.#typed += text;
    else if (ctrl && name === 'c') this.options.onLeave('stopped');
    else if (ctrl && name === 'd') this.options.onLeave('ended');
    else if (meta && name !== 'escape') {
      // Escape, followed at once by another key.
      this.#push({name: 'escape'});
      if (sequence.length === 2 && sequence >= '\u001B ') this.#typed += sequence.slice(1);
      else this.#push({...key, meta: false});
    } else if (name !== '') this.#push(key);
  };

  #flush(): void {
    const text = this.#typed;
    this.#typed = '';
    if (text !== '') this.#push({sequence: text});
  }

  /** @param key typed text has no name */
  #push(key: Key): void {
    if (key.name !== undefined) this.#flush();
    const now = this.options.now();
    const isBounce = isEnter(key) && now - this.#enteredAt < BOUNCE;
    this.#enteredAt = isEnter(key) ? now : -Infinity;
    if (isBounce) return;
    this.#waiting.push(key);
    this.#deliver();
  }

  #deliver(): void {
    while (this.#isListening) {
      const key = this.#waiting.shift();
      if (!key) return;
      const {name, sequence, ...flags} = this.#isStock ? stockKey(key) : ownKey(key);
      this.emit('keypress', name === undefined || sequence === name ? sequence : undefined, {...flags, name, sequence});
    }
  }
}

const isEnter = ({name}: Key): boolean => name === 'return' || name === 'enter';

function ownKey(key: Key): Key {
  const own = OWN_NAMES[`${key.ctrl ? 'ctrl-' : ''}${key.name}`];
  return own === undefined ? key : {name: own};
}

/** Returns a key as inquirer expects it: a pasted text is typed, and a character is its own name. */
function stockKey(key: Key): Key {
  const {name, sequence = ''} = key;
  if (name === 'paste') return {sequence: sequence.trim().replace(/[\r\n\t]+/g, ' ')};
  return name === undefined && sequence.length === 1 ? {...key, name: sequence} : key;
}

/**
 * Drops input typed before a question was shown. A second Enter could otherwise keep a key that is being checked, or send a
 * statement.
 */
export async function dropTypedAhead(input: RawInput): Promise<void> {
  const left: PromptEnded[] = [];
  // Raw mode also delivers incomplete lines.
  const keys = new Keyboard({input, now: () => 0, onLeave: (reason) => left.push(new PromptEnded(reason))});
  // The first turn reads waiting input; the second turn reads input that came during the first turn.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  keys.close();
  if (left[0]) throw left[0];
}
