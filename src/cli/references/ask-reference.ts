// Reads the object of a command from an argument, or asks for it at a terminal.

import {shapes} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {usageError} from '../../common/errors.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {requiredArgument} from '../base.js';
import {readReference, type Reference} from './references.js';

const QUESTIONS: Readonly<Record<string, string>> = {
  bstm_: 'Billing statement (number, or name of the customer):',
  cus_: 'Customer (name, email address or id):',
};

export async function askReference(context: Context, prefix: string, place: string): Promise<Reference> {
  const {title} = shapes.get(prefix)!;
  if (!context.io.canAsk)
    throw usageError('missing_argument', `the id of a ${title} is missing.`, {
      hint: `Give it after the command: ${place}, which starts with ${prefix}.`,
    });
  return askUntilValid(context, QUESTIONS[prefix] ?? `Id of the ${title}:`, (text) => readReference(text, prefix));
}

/** Reads the argument, or asks for it. @param example a command, for the error */
export async function referenceArgument(
  context: Context,
  prefix: string,
  text: string | undefined,
  example: string,
): Promise<Reference> {
  const typed = text?.trim();
  if (typed || !context.io.canAsk) {
    const given = requiredArgument(typed, `the ${shapes.get(prefix)!.title}`, example);
    return valueOrThrow(readReference(given, prefix));
  }
  return askReference(context, prefix, '');
}

export async function askUntilValid<T>(
  {prompt}: Pick<Context, 'prompt'>,
  question: string,
  read: (text: string) => InvalidInput | T,
  initial?: string,
): Promise<T> {
  const validate = (text: string): string | undefined => {
    const answer = read(text);
    return answer instanceof InvalidInput ? answer.text : undefined;
  };
  return valueOrThrow(read(await prompt.text(question, {initial, validate})));
}
