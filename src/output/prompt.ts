// Questions to a person at a terminal. inquirer is loaded when something is asked, and never without a terminal.

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
  select<T>(message: string, choices: readonly Choice<T>[]): Promise<T>;
  confirm(message: string, initial?: boolean): Promise<boolean>;
}

/**
 * @param output the stream on which questions stand: stderr
 * @param allowed false under `--no-input`: whatever would be asked is then an error
 */
export function createPrompt(io: Io, output: unknown, allowed: () => boolean): Prompt {
  async function ask<T>(question: Record<string, unknown>): Promise<T> {
    if (!allowed() || !io.canAsk) {
      throw usageError('a value is missing, and there is no terminal to ask at.', {
        code: 'cannot_ask',
        hint: 'Give it as a flag; --help lists them.',
      });
    }
    const {createPromptModule} = (await import('inquirer')).default;
    const prompt = createPromptModule({output: output as never});
    try {
      return ((await prompt([{...question, name: 'answer'}] as never)) as {answer: T}).answer;
    } catch (error) {
      if ((error as Error).name === 'ExitPromptError')
        throw new CentavoError('interrupted', 'stopped at the question.', {applied: 'no'});
      throw error;
    }
  }

  return {
    text: (message, {initial, validate} = {}) =>
      ask({
        type: 'input',
        message: clean(message),
        default: initial,
        validate: (text: string) => validate?.(text) ?? true,
      }),
    select: (message, choices) =>
      ask({
        type: 'select',
        message: clean(message),
        choices: choices.map(({name, value}) => ({name: clean(name), value})),
        loop: false,
      }),
    confirm: (message, initial = false) => ask({type: 'confirm', message: clean(message), default: initial}),
  };
}
