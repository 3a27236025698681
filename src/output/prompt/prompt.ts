// Asks the user questions at a terminal. Fails without a terminal.

import {CentavoError, usageError} from '../../common/errors.js';
import {oneLineText} from '../format.js';
import type {OutputStreams} from '../streams.js';
import {textMeasureFor} from '../text-width.js';
import {PromptEnded, type Asker, type AskerNote, type SingleAsker, type Terminal} from './asker.js';
import type {DrawnHost} from './drawn-asker.js';
import {dropTypedAhead} from './keyboard.js';

export interface Choice<T> {
  readonly name: string;
  readonly value: T;
}

export interface SearchChoice<T> extends Choice<T> {
  /** Text that tells choices with the same name apart, such as an address or an amount. */
  readonly detail?: string;
}

export interface Prompt {
  /** @param validate returns the fault in one line, if any */
  text(message: string, options?: {initial?: string; validate?: (text: string) => string | undefined}): Promise<string>;
  password(message: string): Promise<string>;
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  /** Asks for one of many choices, found by typing part of a name or detail. */
  search<T>(message: string, choices: readonly SearchChoice<T>[]): Promise<T>;
  /** @returns false also if the input ends before an answer */
  confirm(message: string, initial?: boolean): Promise<boolean>;
}

export interface PromptOptions {
  readonly streams: () => {readonly input: unknown; readonly output: unknown};
  readonly signal: AbortSignal;
  readonly host: DrawnHost;
}

export function createPrompt(io: OutputStreams, {streams, signal, host}: PromptOptions): Prompt {
  /** @param isSafe true if an earlier Enter cannot answer */
  async function ask<T>(question: (asker: SingleAsker, terminal: Terminal) => Promise<T>, isSafe = false): Promise<T> {
    if (!io.canConfirm)
      throw usageError('cannot_ask', 'a value is missing, and centavo cannot ask.', {
        hint: 'Pass it as a flag. To list the flags: --help',
      });
    const terminal = {...streams(), signal} as Terminal;
    try {
      // Loaded first, so that input typed during the load is dropped.
      const open = io.plain
        ? (await import('./plain-asker.js')).openPlainAsker
        : (await import('./drawn-asker.js')).openDrawnAsker;
      if (!isSafe) await dropTypedAhead(terminal.input);
      const asker = await open(terminal, {io, host});
      return await question(asker, terminal).finally(asker.close);
    } catch (error) {
      if (!(error instanceof PromptEnded)) throw error;
      if (error.reason === 'stopped')
        throw new CentavoError('interrupted', 'canceled at the question.', {applied: 'no'});
      throw usageError('input_ended', 'the input ended before an answer.');
    }
  }

  // Prompts bypass io, which would hide secrets and escape control characters.
  const clean = (text: string): string => oneLineText(io.redact(text));

  return {
    text: (message, {initial, validate} = {}) =>
      ask(async (asker, {output}) => {
        // The default is shown and used as the answer, so it is offered only if it can be shown unchanged.
        const usual = initial !== undefined && clean(initial) === initial ? initial : undefined;
        const text = await askForText(asker, clean(message), usual, validate);
        if (io.plain) return text;
        const {wrap} = await textMeasureFor();
        const lines = wrap(`${clean(message)} ${clean(text)}`, Math.max(20, io.width - 2));
        output.write(`${io.paint('green', '✔', 'stderr')} ${lines.join('\n  ')}\n`);
        return text;
      }, true),
    password: (message) => ask((asker) => asker.password(clean(message)), true),
    select: async (message, choices) => {
      const names = choices.map(({name}) => clean(name));
      return choices[await ask((asker) => asker.select(clean(message), names))]!.value;
    },
    search: (message, choices) => ask((asker) => askForChoice(asker, clean(message), choices)),
    confirm: async (message, initial = false) => {
      try {
        return await ask((asker) => asker.confirm(clean(message), initial));
      } catch (error) {
        if (error instanceof CentavoError && error.code === 'input_ended') return false;
        throw error;
      }
    },
  };
}

const TEXT_KEYS = 'Enter next · Ctrl-C quit';
const SEARCH_KEYS = 'Type to search · ↑↓ move · Enter select · Esc clear · Ctrl-C quit';

async function askForText(
  asker: Asker,
  message: string,
  usual: string | undefined,
  validate?: (text: string) => string | undefined,
): Promise<string> {
  const [ask, askPlainly] = usual === undefined ? [message, '>'] : [`${message} (${usual})`, `(${usual}) >`];
  let [text, note] = ['', undefined as AskerNote | undefined];
  for (;;) {
    const intro = note ? [] : [message];
    const answer = await asker.line({ask, askPlainly, intro, text, note, keys: TEXT_KEYS});
    text = 'typed' in answer ? answer.typed : 'back' in answer ? answer.back : text;
    if (!('typed' in answer)) continue;
    const given = text === '' ? (usual ?? '') : text;
    const fault = validate?.(given);
    if (fault === undefined) {
      if (text === '') asker.say(given);
      return given;
    }
    note = {tone: 'error', text: fault};
  }
}

async function askForChoice<T>(asker: Asker, message: string, choices: readonly SearchChoice<T>[]): Promise<T> {
  const status = (_: string, found: number): string => (found === 0 ? 'No matches.' : `${found} of ${choices.length}`);
  const how = {intro: [message], askPlainly: 'Number, or part of the name:', keys: SEARCH_KEYS};
  for (;;) {
    const answer = await asker.search({ask: message, choices: () => choices, status, ...how});
    if ('chosen' in answer) return answer.chosen.value;
  }
}
