// Asks the user questions at a terminal. Fails without a terminal.

import {CentavoError, usageError} from '../../common/errors.js';
import {oneLineText} from '../format.js';
import type {OutputStreams} from '../streams.js';
import {
  PromptEnded,
  type Asker,
  type AskerNote,
  type StockQuestion,
  type Terminal,
  type TerminalQuestion,
} from './asker.js';
import type {DrawnHost} from './drawn-asker.js';

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

/** Columns of `? ` before a question and `(y/N) No` after it. */
const PROMPT_COLUMNS = 11;

export function createPrompt(io: OutputStreams, {streams, signal, host}: PromptOptions): Prompt {
  async function load(
    type: TerminalQuestion['type'],
  ): Promise<(question: TerminalQuestion, terminal: Terminal) => Promise<unknown>> {
    if (io.plain) return (await import('./plain-prompt.js')).askPlainly;
    if (type === 'input' || type === 'search') {
      const {openDrawnAsker} = await import('./drawn-asker.js');
      return async (question, terminal) => {
        const asker = await openDrawnAsker(terminal, {io, host});
        if (type === 'search') return askForChoice(asker, question).finally(asker.close);
        const text = await askForText(asker, question).finally(asker.close);
        const message = await wrapMessage(question.message);
        terminal.output.write(`${io.paint('green', '✔', 'stderr')} ${message} ${clean(text)}\n`);
        return text;
      };
    }
    const {askOnTerminal} = await import('./drawn-prompt.js');
    return async (question, terminal) =>
      askOnTerminal({...question, message: await wrapMessage(question.message)} as StockQuestion, terminal);
  }

  async function wrapMessage(message: string): Promise<string> {
    const {textMeasureFor} = await import('../text-width.js');
    return (await textMeasureFor([message])).wrap(message, Math.max(20, io.width - PROMPT_COLUMNS)).join('\n  ');
  }

  async function ask<T>(question: TerminalQuestion): Promise<T> {
    if (!io.canConfirm) {
      throw usageError('cannot_ask', 'a value is missing, and centavo cannot ask.', {
        hint: 'Pass it as a flag. To list the flags: --help',
      });
    }
    const terminal = {...streams(), signal} as Terminal;
    // A closed terminal refuses to leave raw mode. Its end is heard as such.
    const ignore = (): void => {};
    terminal.input.on('error', ignore);
    try {
      // Loaded first, so that input typed during the load is dropped.
      const askOn = await load(question.type);
      // Enter alone answers these questions, so an earlier Enter must not count.
      if (/^(confirm|search|select)$/.test(question.type)) await dropTypedAhead(terminal);
      return (await askOn(question, terminal)) as T;
    } catch (error) {
      if (!(error instanceof PromptEnded)) throw error;
      if (error.reason === 'stopped')
        throw new CentavoError('interrupted', 'canceled at the question.', {applied: 'no'});
      throw usageError('input_ended', 'the input ended before an answer.');
    } finally {
      terminal.input.off('error', ignore);
    }
  }

  // Prompts bypass io, which would hide secrets and escape control characters.
  const clean = (text: string): string => oneLineText(io.redact(text));

  return {
    text: (message, {initial, validate} = {}) =>
      ask({
        type: 'input',
        message: clean(message),
        // The default is shown and used as the answer, so it is offered only if it can be shown unchanged.
        default: initial !== undefined && clean(initial) === initial ? initial : undefined,
        validate: (text: string) => {
          const fault = validate?.(text);
          return fault === undefined ? true : clean(fault);
        },
      }),
    password: (message) => ask({type: 'password', message: clean(message)}),
    select: (message, choices) =>
      ask({
        type: 'select',
        message: clean(message),
        choices: choices.map(({name, value}) => ({name: clean(name), value})),
      }),
    search: (message, choices) =>
      ask({
        type: 'search',
        message: clean(message),
        choices: choices.map(({name, detail, value}) => ({
          name: clean(name),
          ...(detail !== undefined && {detail: clean(detail)}),
          value,
        })),
      }),
    confirm: async (message, initial = false) => {
      try {
        return await ask<boolean>({type: 'confirm', message: clean(message), default: initial});
      } catch (error) {
        if (error instanceof CentavoError && error.code === 'input_ended') return false;
        throw error;
      }
    },
  };
}

const TEXT_KEYS = 'Enter next · Ctrl-C quit';
const SEARCH_KEYS = 'Type to search · ↑↓ move · Enter select · Esc clear · Ctrl-C quit';

async function askForText(asker: Asker, {message, default: initial, validate}: TerminalQuestion): Promise<string> {
  const ask = initial === undefined ? message : `${message} (${String(initial)})`;
  let [text, note] = ['', undefined as AskerNote | undefined];
  for (;;) {
    const answer = await asker.line({ask, text, note, keys: TEXT_KEYS});
    text = 'typed' in answer ? answer.typed : 'back' in answer ? answer.back : text;
    if (!('typed' in answer)) continue;
    const given = text === '' ? String(initial ?? '') : text;
    const fault = validate?.(given) ?? true;
    if (fault === true) return given;
    note = {tone: 'error', text: fault};
  }
}

async function askForChoice(asker: Asker, {message, choices = []}: TerminalQuestion): Promise<unknown> {
  const status = (_: string, found: number): string => (found === 0 ? 'No matches.' : `${found} of ${choices.length}`);
  for (;;) {
    const answer = await asker.search({ask: message, choices: () => choices, status, keys: SEARCH_KEYS});
    if ('chosen' in answer) return answer.chosen.value;
  }
}

const INTERRUPT = '\u0003';

/**
 * Drops input typed before the question was shown. A second Enter could otherwise keep a key that is being checked,
 * or send a statement.
 */
export async function dropTypedAhead({input}: Terminal): Promise<void> {
  let dropped = '';
  const drop = (chunk: Buffer | string): void => void (dropped += String(chunk));
  // Raw mode also delivers incomplete lines.
  input.setRawMode(true);
  input.on('data', drop);
  input.resume();
  // The first turn reads waiting input; the second turn reads input that came during the first turn.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
  input.pause();
  input.off('data', drop);
  input.setRawMode(false);
  if (dropped.includes(INTERRUPT)) throw new PromptEnded('stopped');
}
