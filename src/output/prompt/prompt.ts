// Questions to a person at a terminal, and never without one.

import {CentavoError, usageError} from '../../errors.js';
import {clean} from '../format.js';
import type {Io} from '../io.js';

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

/** A choice with what tells it apart from others of its name: an address, an amount. */
export interface SearchChoice<T> extends Choice<T> {
  readonly detail?: string;
}

export interface Prompt {
  /** @param validate gives the fault as one line, or undefined when the text will do */
  text(message: string, options?: {initial?: string; validate?: (text: string) => string | undefined}): Promise<string>;
  /** A text that is not shown as it is typed. */
  password(message: string): Promise<string>;
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** The same of many, found by typing a part of a name or of its detail. */
  search<T>(message: string, choices: readonly SearchChoice<T>[]): Promise<T>;
  /** @returns false too when the input ends before an answer */
  confirm(message: string, initial?: boolean): Promise<boolean>;
}

export interface PromptOptions {
  /** Where answers come from and questions are shown: stdin and stderr. */
  readonly streams: () => {readonly input: unknown; readonly output: unknown};
  /** Takes a question back. */
  readonly signal: AbortSignal;
}

/** Columns of `? ` before a question and `(y/N) No` behind it. */
const AROUND = 11;

export function createPrompt(io: Io, {streams, signal}: PromptOptions): Prompt {
  /** @throws CentavoError kind `usage` where there is no answer, or `interrupted` */
  const ask = <T>(question: Question): Promise<T> =>
    asking(async (terminal) => {
      // Loaded first: what was typed meanwhile would be an answer.
      const put = io.plain
        ? (await import('./plain-prompt.js')).askPlainly
        : await (await import('./drawn-prompt.js')).loadDrawn();
      // Enter alone answers these.
      if (question.type === 'confirm' || question.type === 'select') await dropTypedAhead(terminal);
      const message = io.plain ? question.message : await wrapped(question.message);
      return (await put({...question, message}, terminal)) as T;
    });

  /** Broken between words, with room for what stands before a question and for its answer. */
  async function wrapped(message: string): Promise<string> {
    const {wrapLines} = await import('../tables/measure.js');
    return (await wrapLines([message], Math.max(20, io.width - AROUND))).join('\n  ');
  }

  async function asking<T>(put: (terminal: Terminal) => Promise<T>): Promise<T> {
    if (!io.canAsk) {
      throw usageError('a value is missing, and there is no terminal to ask for it.', {
        code: 'cannot_ask',
        hint: 'Pass it as a flag. To list the flags: --help',
      });
    }
    try {
      return await put({...streams(), signal} as Terminal);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      if (error.why === 'stopped') throw new CentavoError('interrupted', 'canceled at the question.', {applied: 'no'});
      throw usageError('the input ended before there was an answer.', {code: 'input_ended'});
    }
  }

  // Both ways of asking write past io.
  const shown = (text: string): string => clean(io.redact(text));

  return {
    text: (message, {initial, validate} = {}) =>
      ask({
        type: 'input',
        message: shown(message),
        // It is both shown and the answer, so what cannot be shown as it is is not offered.
        default: initial !== undefined && shown(initial) === initial ? initial : undefined,
        validate: (text: string) => {
          const fault = validate?.(text);
          return fault === undefined ? true : shown(fault);
        },
      }),
    password: (message) => ask({type: 'password', message: shown(message)}),
    select: (message, choices) =>
      ask({
        type: 'select',
        message: shown(message),
        choices: choices.map(({name, value}) => ({name: shown(name), value})),
      }),
    search: async (message, choices) => {
      const safe = choices.map(({name, detail, value}) => ({
        name: shown(name),
        ...(detail !== undefined && {detail: shown(detail)}),
        value,
      }));
      const chosen = await asking(async (terminal) => {
        const {askSearching, askSearchingPlainly} = await import('./search-prompt.js');
        await dropTypedAhead(terminal);
        return (io.plain ? askSearchingPlainly : askSearching)(shown(message), safe, terminal);
      });
      return chosen.value;
    },
    confirm: async (message, initial = false) => {
      try {
        return await ask<boolean>({type: 'confirm', message: shown(message), default: initial});
      } catch (error) {
        if (error instanceof CentavoError && error.code === 'input_ended') return false;
        throw error;
      }
    },
  };
}

export interface Question {
  readonly type: 'confirm' | 'input' | 'password' | 'select';
  /** Harmless and without secrets: it is written as it stands. */
  readonly message: string;
  readonly default?: boolean | string;
  readonly choices?: readonly {readonly name: string; readonly value: unknown}[];
  /** True when the text will do, or what is wrong with it in one line. */
  readonly validate?: (text: string) => string | true;
}

/** The keyboard: stdin at a terminal. */
export interface Keyboard extends NodeJS.ReadableStream {
  setRawMode(raw: boolean): unknown;
}

export interface Terminal {
  readonly input: Keyboard;
  /** Where questions stand: stderr. */
  readonly output: NodeJS.WritableStream;
  /** Takes a question back. */
  readonly signal: AbortSignal;
}

/** @throws Unanswered */
export type Ask = (question: Question, terminal: Terminal) => Promise<unknown>;

/** `ended`: nobody will answer any more. `stopped`: by Ctrl-C, or with the process. */
export class Unanswered extends Error {
  constructor(readonly why: 'ended' | 'stopped') {
    super(why);
  }
}

const INTERRUPT = '\u0003';

/**
 * What was typed before a question stood there is no answer to it: a second Enter while a key is being checked would
 * keep that key, and one at the end of a statement would send it.
 * @throws Unanswered
 */
export async function dropTypedAhead({input}: Terminal): Promise<void> {
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
  if (dropped.includes(INTERRUPT)) throw new Unanswered('stopped');
}
