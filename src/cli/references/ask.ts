// The object of a command: as it was typed, or as a person answers at a prompt.

import {shapes} from '../../api/registry.js';
import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../ground/errors.js';
import {readReference, type Reference} from './references.js';

const QUESTIONS: Readonly<Record<string, string>> = {
  bstm_: 'Billing statement (number, or name of the customer):',
  cus_: 'Customer (name, email address or id):',
};

/** @param place of the argument: `<id>` */
export async function askReference(context: Context, prefix: string, place: string): Promise<Reference> {
  const {title} = shapes.get(prefix)!;
  if (!context.io.canAsk)
    throw usageError(`the id of a ${title} is missing.`, {
      code: 'missing_argument',
      hint: `Give it after the command: ${place}, which starts with ${prefix}.`,
    });
  const read = (text: string) => readReference(text, prefix, 'the id', true);
  const question = QUESTIONS[prefix] ?? `Id of the ${title}:`;
  return read(await context.prompt.text(question, {validate: (text) => problemOf(() => read(text))}));
}

/** @param example of a command line with the argument */
export async function referenceArgument(
  context: Context,
  prefix: string,
  text: string | undefined,
  example: string,
): Promise<Reference> {
  const {title} = shapes.get(prefix)!;
  const typed = text?.trim();
  if (typed) return readReference(typed, prefix, `the ${title}`);
  if (context.io.canAsk) return askReference(context, prefix, '');
  throw usageError(`the ${title} is missing.`, {code: 'missing_argument', hint: `For example: ${example}`});
}

/** What is wrong with an answer, in one line, without the name of a flag. */
export function problemOf(check: () => unknown): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CentavoError)
      return [error.message.replace(/^--[\w-]+(, \w+)? /, ''), error.details.why].filter(Boolean).join(' ');
    throw error;
  }
}
