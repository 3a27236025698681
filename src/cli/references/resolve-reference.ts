// Finds the ids of objects by number, email address or name.

import type {FoundCustomer} from '../../billing/find.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../ground/errors.js';
import {shown} from '../../guard/describe.js';
import {choose, walking, type Candidate, type Fitting} from './candidates.js';
import {noCustomer} from './nothing-found.js';
import {needsLookUp, readReference, type Reference, type ReferenceOptions} from './references.js';

export async function resolveReference(
  context: Context,
  prefix: string,
  text: string,
  options: ReferenceOptions,
): Promise<string> {
  const [id] = await resolveReferences(context, prefix, [readReference(text, prefix, options.name)], options);
  return id!;
}

/** The ids of the objects, in order. References that are ids are not looked up. */
export async function resolveReferences(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  if (!needsLookUp(references)) return references.map(({text}) => text);
  try {
    return await lookUp(context, prefix, references, options);
  } catch (error) {
    // A command that changes something says that nothing was changed.
    if (!options.changes || !(error instanceof CentavoError) || error.details.applied !== undefined) throw error;
    throw error.with({applied: 'no'});
  }
}

async function lookUp(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<string[]> {
  if (prefix === 'bstm_li_') {
    const {findItems} = await import('./resolve-item.js');
    return findItems(context, references, (name) =>
      resolveReference(context, 'bstm_', name, {...options, isSaidLater: true}),
    );
  }
  const found =
    prefix === 'bstm_'
      ? await statementsFor(context, references, options)
      : await customersMeant(context, references, options);
  return chosenIds(context, prefix, references, found, options);
}

async function statementsFor(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<ReadonlyMap<string, Fitting>> {
  const {findStatements} = await import('./find-statements.js');
  const findCustomer = async (reference: Reference): Promise<string> => {
    const [id] = await resolveReferences(context, 'cus_', [reference], {...options, changes: false});
    return id!;
  };
  return findStatements(context, references, options, findCustomer);
}

async function customersMeant(
  context: Context,
  references: readonly Reference[],
  options: ReferenceOptions,
): Promise<ReadonlyMap<string, Fitting>> {
  const billing = await context.billing();
  const client = await context.client();
  let everybody: readonly FoundCustomer[] | undefined;
  const all = async () =>
    (everybody ??= await walking(context, 'customers', (walk) => billing.allCustomers(client, walk)));
  const found = new Map<string, Fitting>();
  for (const {kind, text} of references) {
    if (kind === 'id' || found.has(text)) continue;
    let fitting: readonly FoundCustomer[];
    let isGuess = false;
    if (kind === 'email')
      fitting = await walking(context, 'customers', (walk) => billing.customersWithEmail(client, text, walk));
    else if (kind === 'start') fitting = (await all()).filter(({id}) => id.startsWith(text));
    else {
      fitting = await walking(context, 'customers', (walk) => billing.customersWithName(client, text, walk));
      if (fitting.length === 0) {
        const like = billing.customersLike(await all(), text);
        isGuess = !like.isWhole;
        fitting = like.found;
      }
    }
    if (fitting.length === 0 && options.withDeleted) {
      fitting = await walking(context, 'billing statements', (walk) => billing.deletedCustomers(client, text, walk));
      isGuess = true;
    }
    if (fitting.length === 0) throw noCustomer(context, {kind, text}, everybody ?? [], options);
    const candidates = fitting.map(({id, name, email, isDeleted}) => ({
      id,
      words: `${shown(name)} <${email}>${isDeleted ? ' (deleted)' : ''}`,
    }));
    found.set(text, {candidates, isGuess});
  }
  return found;
}

/** Objects that are named before a change. */
const MOST_SAID = 10;

async function chosenIds(
  context: Context,
  prefix: string,
  references: readonly Reference[],
  found: ReadonlyMap<string, Fitting>,
  options: ReferenceOptions,
): Promise<string[]> {
  const chosen = new Map<string, Candidate>();
  const unsaid: Candidate[] = [];
  for (const [text, fitting] of found) {
    const {chosen: candidate, wasAsked} = await choose(context, prefix, text, fitting, options);
    chosen.set(text, candidate);
    if (!wasAsked) unsaid.push(candidate);
  }
  const isGuess = [...found.values()].some((fitting) => fitting.isGuess);
  // Errors suggest commands with what was typed, if it names one object exactly.
  for (const {kind, text} of references) {
    const {candidates = [], isGuess: isPart = true} = found.get(text) ?? {};
    if (kind !== 'id' && kind !== 'start' && candidates.length === 1 && !isPart)
      context.names.set(chosen.get(text)!.id, text);
  }
  for (const {id, subject} of chosen.values()) if (subject) context.subjects.set(id, subject);
  const {io} = context;
  if ((options.changes && !options.isSaidLater) || isGuess) {
    // Logs get the id too. "Found" keeps a foreign name from beginning a line.
    const lineOf = ({words, id}: Candidate): string =>
      `${prefix === 'cus_' ? 'Found ' : ''}${words}${io.stdoutIsTerminal ? '' : `, ${id}`}`;
    for (const each of unsaid.slice(0, MOST_SAID)) io.note(lineOf(each), {style: 'dim'});
    if (unsaid.length > MOST_SAID) io.note(`and ${unsaid.length - MOST_SAID} more`, {style: 'dim'});
  }
  return references.map(({text}) => chosen.get(text)?.id ?? text);
}
