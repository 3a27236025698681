// The statement that a change is about, for the history: what was seen of it before, and what came back.

import type {RegisteredOperation} from '../../api/registry.js';
import {subjectOf, type StatementLike} from '../../api/statement.js';
import type {Subject} from '../../audit/entries.js';
import type {Context} from '../../context.js';

/** @param named what the call names, among it ids @returns what is known, with an answer of the call if there is one */
export function subjectFor(
  {subjects}: Pick<Context, 'subjects'>,
  {resource}: RegisteredOperation,
  named: readonly unknown[],
): (answer?: object) => Subject {
  const known = named.map((value) => subjects.get(String(value))).find((subject) => subject !== undefined) ?? {};
  if (resource.shape.prefix === 'bstm_') return (answer) => (answer ? subjectOf(answer as StatementLike) : known);
  // What a line item or a refund comes to is not what its statement comes to.
  const {amount: _, ...who} = known;
  return () => who;
}
