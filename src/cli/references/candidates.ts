// Objects that fit what was typed. A person chooses one; without a terminal, several are an error.

import {shapes} from '../../api/registry.js';
import type {Subject} from '../../audit/audit.js';
import type {Context} from '../../context.js';
import {type CentavoError, usageError} from '../../ground/errors.js';
import {quote} from '../../input/money.js';
import type {ReferenceOptions} from './references.js';

export interface Candidate {
  readonly id: string;
  /** `Juan Dela Cruz <juan@example.com>` */
  readonly words: string;
  readonly detail?: string;
  /** The number of a statement, which is also in the words. */
  readonly number?: string;
  readonly subject?: Subject;
}

export interface Fitting {
  readonly candidates: readonly Candidate[];
  /** The text is only part of their names, or names their customer. */
  readonly isGuess: boolean;
}

/** A person searches among more candidates by typing. */
const MOST_LISTED = 7;
/** Candidates that an error names. */
const MOST_NAMED = 3;

/** With the id if another candidate reads the same. */
const candidateName = ({words, id}: Candidate, candidates: readonly Candidate[]): string =>
  candidates.some((each) => each.id !== id && each.words === words) ? `${words}  ${id}` : words;

export async function choose(
  {io, prompt}: Context,
  prefix: string,
  text: string,
  {candidates, isGuess}: Fitting,
  {changes}: ReferenceOptions,
): Promise<{readonly chosen: Candidate; readonly wasAsked: boolean}> {
  const {title} = shapes.get(prefix)!;
  const [first] = candidates as [Candidate];
  const needsPerson = candidates.length > 1 || (changes && isGuess);
  if (!needsPerson) return {chosen: first, wasAsked: false};
  if (!io.canAsk) throw notChosen(prefix, text, candidates, changes);
  const named = candidates.map((each) => ({name: candidateName(each, candidates), detail: each.detail, value: each}));
  if (candidates.length > MOST_LISTED) return {chosen: await prompt.search(`Which ${title}?`, named), wasAsked: true};
  const question =
    candidates.length > 1
      ? `${quote(text)} matches ${candidates.length} ${title}s. Which one?`
      : `Do you mean this ${title}?`;
  const choices = named.map(({name, detail, value}) => ({name: [name, detail].filter(Boolean).join(', '), value}));
  return {chosen: await prompt.select(question, choices), wasAsked: true};
}

function notChosen(prefix: string, text: string, candidates: readonly Candidate[], changes: boolean): CentavoError {
  const {title} = shapes.get(prefix)!;
  const isCustomer = prefix === 'cus_';
  // Two statements may have the same number.
  const numbers = candidates.map(({number}) => number);
  const hasNumbers = !numbers.includes(undefined) && new Set(numbers).size === numbers.length;
  const named = candidates.slice(0, MOST_NAMED).map(({words, id}) => (hasNumbers ? words : `${words} ${id}`));
  const more = candidates.length - named.length;
  const code = isCustomer ? 'customer_ambiguous' : 'statement_ambiguous';
  // Not "Nothing was sent.", because the list was read.
  const changed = changes ? 'Nothing was changed.' : '';
  if (candidates.length === 1)
    return usageError(code, `${quote(text)} is only part of a ${title}’s ${isCustomer ? 'name' : 'number'}.`, {
      changed,
      why: `Without a terminal to ask, a change needs ${isCustomer ? 'an id, an email address or a whole name' : 'a whole number or an id'}.`,
      hint: `Did you mean ${named[0]}?`,
    });
  return usageError(code, `${quote(text)} matches ${candidates.length} ${title}s.`, {
    changed,
    hint: `Use one of these ${hasNumbers ? 'numbers' : 'ids'}: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`,
  });
}
