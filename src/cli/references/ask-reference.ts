// The object that a command is about, where it must be given: as it was typed, or as a person answers.

import {shapes} from '../../api/registry.js';
import type {Context} from '../../context.js';
import {usageError} from '../../errors.js';
import {problemOf} from '../operations/problem-of.js';
import {readReference, type Reference} from './references.js';

/** How a person is asked for one of these. */
const QUESTIONS: Readonly<Record<string, string>> = {
  bstm_: 'Billing statement (number, or name of the customer):',
  cus_: 'Customer (name, email address or id):',
};

/** @param place where it is given: `<id>` @throws CentavoError kind `usage` where nobody can be asked */
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

/**
 * What was typed for the object, or answered.
 * @param example of a command line that names one
 * @throws CentavoError kind `usage` where it is missing and nobody can be asked
 */
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
