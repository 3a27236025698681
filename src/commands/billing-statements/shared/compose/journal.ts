// The journal of a run in the history of this machine.

import type {Journal} from '../../../../billing/compose/journal.js';
import type {Context} from '../../../../context.js';
import {isFileError} from '../../../../ground/system-errors.js';

/** The journal of the change that this command has begun. */
export async function journalOf(context: Context): Promise<Journal> {
  const {earlierRuns, NOT_SENT, SENT, SETTLE_SECONDS} = await context.billing();
  const audit = await context.audit();
  return {
    intend: (step, ids) => audit.step(step, ids),
    made: (id) => audit.step(id.startsWith('cus_') ? 'customer' : 'draft', [id]),
    sendEnded: (id, sent) => {
      try {
        // When a power cut takes it, what is left is an intention without an outcome: a send in doubt, which is not repeated.
        audit.step(sent ? SENT : NOT_SENT, [id], {durable: false});
      } catch (error) {
        if (!isFileError(error)) throw error;
      }
    },
    earlier: (id) => earlierRuns(audit.others(), id, context.now(), SETTLE_SECONDS),
  };
}
