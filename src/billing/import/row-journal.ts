// What a row of a job records before its calls. For a draft that is only the first one: a read tells how far the others got.

import type {Journal} from '../compose/journal.js';
import type {Row} from './job/facts.js';
import type {JobFile} from './job/file.js';
import type {Workers} from './workers.js';

/** What other commands on this machine did to a statement, and the record of what this one does. */
export interface Sends {
  /** Records that a statement is about to be sent. */
  readonly intend: (id: string) => Promise<void> | void;
  readonly ended: (id: string, sent: boolean) => void;
  /** @param after unix seconds; sends up to then do not count */
  readonly elsewhere: (id: string, after: number | null) => 'in_doubt' | 'sent' | undefined;
}

interface Around {
  readonly job: JobFile;
  readonly workers: Workers;
  readonly sends: Sends;
}

export function rowJournal(n: number, {job, workers, sends}: Around): Journal {
  const {id, resend_at: resendAt} = job.row(n);
  let statement = id;
  const write = (values: Partial<Row>): Promise<void> => {
    job.setRow(n, values);
    return job.commitTogether();
  };
  return {
    intend: async (step) => {
      workers.throwIfStopped();
      if (step === 'draft') await write({phase: 'drafting'});
      if (step === 'finalize') await write({phase: 'finishing', opened: 1});
      if (step !== 'send') return;
      await sends.intend(statement!);
      try {
        await write({phase: 'finishing', sent: 'unknown'});
      } catch (error) {
        sends.ended(statement!, false);
        throw error;
      }
    },
    made: (made) => {
      if (!made.startsWith('bstm_')) return;
      statement = made;
      job.setRow(n, {id: made});
    },
    sendEnded: (sentId, sent) => {
      sends.ended(sentId, sent);
      job.setRow(n, {sent: sent ? 'yes' : 'no'});
    },
    earlier: (earlierId) => ({unsettled: false, send: sends.elsewhere(earlierId, resendAt)}),
  };
}
