// Completes ids that are cut (`evt_h3Xq…`), or the start of ids, from what this machine holds.

import type {Context} from '../../context/context.js';
import {usageError} from '../../common/errors.js';
import {quote} from '../../input/money.js';

/** A store of this machine: the sandbox, or the deliveries. `what` says what the object is: `billing_statement.paid`. */
export interface IdSource {
  /** Returns ids that start so, the shortest first. */
  idsFrom(start: string, limit: number): LocalIds | Promise<LocalIds>;
}

type LocalIds = readonly {readonly id: string; readonly what: string | null}[];

const MAX_NAMED_IDS = 3;

const ID_START = /^[a-z]+_\w+…?$/;

/**
 * Returns the whole id, and says on stderr which one if the text is only its start.
 * @param otherwise the result for the start of no id; by default the text without an ellipsis
 * @throws usage error if several ids start with the text
 */
export async function wholeId(
  {io}: Pick<Context, 'io'>,
  text: string,
  sources: readonly IdSource[],
  otherwise?: string,
): Promise<string> {
  const typed = text.trim();
  if (!ID_START.test(typed)) return typed;
  const start = typed.replace('…', '');
  const lists = await Promise.all(sources.map((source) => source.idsFrom(start, MAX_NAMED_IDS + 1)));
  const found = new Map(lists.flat().map(({id, what}) => [id, what]));
  const [id] = found.keys();
  if (id === undefined) return otherwise ?? start;
  if (found.has(start)) return start;
  const named = [...found].map(([each, what]) => (what === null ? each : `${each} (${what})`));
  if (found.size === 1) {
    io.note(`${typed} is ${named[0]}.`, {style: 'dim'});
    return id;
  }
  const shown = named.slice(0, MAX_NAMED_IDS);
  throw usageError('id_ambiguous', `several ids start with ${quote(start)}.`, {
    candidates: [...found].map(([each, what]) => ({id: each, name: what ?? each})),
    changed: 'Nothing was changed.',
    hint: `Use one of these: ${shown.join(', ')}${named.length > shown.length ? ', and more' : ''}`,
  });
}

/** Completes an id; for a delivery, returns the id of its event. Returns the text itself if no id starts so. */
export async function completeId(context: Context, text: string, {inSandbox}: {inSandbox: boolean}): Promise<string> {
  const store = await context.deliveries();
  const id = await wholeId(context, text, inSandbox ? [store, await context.sandbox()] : [store], text);
  return (id.startsWith('dlv_') && store.get(id)?.event.id) || id;
}
