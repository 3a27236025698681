// Questions to a person at a terminal. inquirer is loaded when something is asked, and never without a terminal.

import {follow} from '../deadlines.js';
import {CentavoError, usageError} from '../errors.js';
import {clean} from './format.js';
import type {Io} from './io.js';

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

export interface Prompt {
  /** @param validate gives the fault as one line, or undefined when the text will do */
  text(message: string, options?: {initial?: string; validate?: (text: string) => string | undefined}): Promise<string>;
  /** A text that is not shown as it is typed. */
  password(message: string): Promise<string>;
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** @returns false too when the input ends before an answer */
  confirm(message: string, initial?: boolean): Promise<boolean>;
}

/** The keyboard, as far as the end of its input can be told by it. */
interface Keyboard {
  on(event: string, listener: (...args: never[]) => void): unknown;
  off(event: string, listener: (...args: never[]) => void): unknown;
  isPaused(): boolean;
  pause(): unknown;
  resume(): unknown;
  setRawMode(raw: boolean): unknown;
}

export interface PromptOptions {
  /** The stream on which answers come: stdin. */
  readonly input: unknown;
  /** The stream on which questions stand: stderr. */
  readonly output: unknown;
  /** False under `--no-input`: whatever would be asked is then an error. */
  readonly allowed: () => boolean;
  /** Takes a question back. */
  readonly signal: AbortSignal;
}

/** The input ended at a question: nobody will answer it. */
const inputEnded = (): CentavoError => usageError('the input ended before there was an answer.', {code: 'input_ended'});

const stopped = (): CentavoError => new CentavoError('interrupted', 'stopped at the question.', {applied: 'no'});

const INTERRUPT = '\u0003';

export function createPrompt(io: Io, {input, output, allowed, signal}: PromptOptions): Prompt {
  async function ask<T>(question: Record<string, unknown>): Promise<T> {
    if (!allowed() || !io.canAsk) {
      throw usageError('a value is missing, and there is no terminal to ask at.', {
        code: 'cannot_ask',
        hint: 'Give it as a flag; --help lists them.',
      });
    }
    const {createPromptModule} = (await import('inquirer')).default;
    const ended = new AbortController();
    const release = follow(ended, signal);
    const unwatch = watchForEnd(input as Keyboard, () => ended.abort());
    const prompt = createPromptModule({output: output as never, signal: ended.signal} as never);
    try {
      return ((await prompt([{...question, name: 'answer'}] as never)) as {answer: T}).answer;
    } catch (error) {
      const {name} = error as Error;
      if (name === 'AbortPromptError') throw signal.aborted ? stopped() : inputEnded();
      if (name === 'ExitPromptError') throw stopped();
      throw error;
    } finally {
      release();
      unwatch();
    }
  }

  // inquirer writes past io.
  const shown = (text: string): string => clean(io.redact(text));

  return {
    text: (message, {initial, validate} = {}) =>
      ask({
        type: 'input',
        message: shown(message),
        default: initial,
        validate: (text: string) => validate?.(text) ?? true,
      }),
    password: (message) =>
      ask({
        type: 'password',
        message: shown(message),
        mask: '*',
        // Its key that shows what was typed would show it to whoever looks on.
        toggleMask: false,
      }),
    select: (message, choices) =>
      ask({
        type: 'select',
        message: shown(message),
        choices: choices.map(({name, value}) => ({name: shown(name), value})),
        loop: false,
      }),
    confirm: async (message, initial = false) => {
      // Where nobody can be asked, that is said below.
      if (allowed() && io.canAsk) await dropTypedAhead(input as Keyboard);
      try {
        return await ask<boolean>({type: 'confirm', message: shown(message), default: initial});
      } catch (error) {
        if (error instanceof CentavoError && error.code === 'input_ended') return false;
        throw error;
      }
    },
  };
}

/** What was typed before a question stood there is no answer to it: a second Enter while a key is being checked would keep that key. */
async function dropTypedAhead(input: Keyboard): Promise<void> {
  let dropped = '';
  const drop = (chunk: Buffer | string): void => void (dropped += String(chunk));
  // Raw, so that the terminal also gives what is no whole line yet.
  input.setRawMode(true);
  input.on('data', drop);
  input.resume();
  // It is read when the loop next looks; and once more, for what came meanwhile.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  input.pause();
  input.off('data', drop);
  input.setRawMode(false);
  if (dropped.includes(INTERRUPT)) throw stopped();
}

/** inquirer waits for ever when the input ends: Ctrl-D closes its reader, which pauses the stream, and a terminal that goes ends it. */
function watchForEnd(input: Keyboard, end: () => void): () => void {
  const onKey = (_text: unknown, key?: {ctrl?: boolean; name?: string}): void => {
    if (key?.ctrl && key.name === 'd') setImmediate(() => input.isPaused() && end());
  };
  input.on('keypress', onKey);
  for (const event of ['end', 'close']) input.on(event, end);
  return () => {
    input.off('keypress', onKey);
    for (const event of ['end', 'close']) input.off(event, end);
  };
}
