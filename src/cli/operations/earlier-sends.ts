// What the history of this machine says of statements that are to be sent again.

import type {Context} from '../../context.js';
import {fromNow} from '../../ground/manila.js';
import {nameFor} from '../next-command.js';

/** More statements are only counted. */
const MOST_NAMED = 3;

/** Tells, before anything is asked or sent, which of these were sent from this machine before, or may have been. */
export async function noteEarlierSends(context: Context, ids: readonly string[]): Promise<void> {
  const {lastSends} = await context.billing();
  const audit = await context.audit();
  const sends = lastSends(audit.others());
  const sent = ids.filter((id) => sends.has(id));
  for (const id of sent.slice(0, MOST_NAMED)) {
    const {at, state} = sends.get(id)!;
    const words = state === 'sent' ? 'was sent' : 'may have been sent';
    context.io.note(`${nameFor(context, id)} ${words} from this machine ${fromNow(at, context.now())}.`);
  }
  const more = sent.length - MOST_NAMED;
  if (more > 0)
    context.io.note(`${more.toLocaleString('en')} more were sent from this machine before, or may have been.`);
}
