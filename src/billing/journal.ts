// The journal of a run: an intention before each call, so that a run that was killed is found again and no statement is sent twice.

/** The calls that a run makes, each of which changes something. */
export type Step = 'customer' | 'draft' | 'item' | 'remove' | 'due' | 'finalize' | 'send';

/** What earlier runs on this machine did to a statement. */
export interface Earlier {
  /** A change may still arrive: the last run ended, or was killed, with one in doubt less than the settle time ago. */
  readonly unsettled: boolean;
  /** Whether it was sent: `sent`, or `in_doubt` where it may have been. */
  readonly send?: 'in_doubt' | 'sent';
}

export interface Journal {
  /** Records that a call is about to be made. @throws CentavoError kind `local_io`: the call may not be made then */
  readonly intend: (step: Step, ids: readonly string[]) => void;
  /** Records an object as soon as its id is known. @throws CentavoError kind `local_io` */
  readonly made: (id: string) => void;
  readonly earlier: (statementId: string) => Earlier;
}

/** What the journal needs to know of an earlier write. */
interface EarlierWrite {
  readonly command: string;
  readonly ids: readonly string[];
  readonly result: string;
  readonly applied: string | null;
  readonly at: number;
  readonly step: string | null;
  readonly step_at: number | null;
}

/**
 * @param writes every write of this machine, the one under way left out
 * @param now unix seconds
 * @param settle seconds
 */
export function earlierRuns(
  writes: readonly EarlierWrite[],
  statementId: string,
  now: number,
  settle: number,
): Earlier {
  const own = writes.filter(({ids}) => ids.includes(statementId));
  // What ended in any other way is known: an end is recorded with whether it was applied.
  const inDoubt = (write: EarlierWrite): boolean => write.result === 'unfinished' || write.applied === 'unknown';
  const sends = own.filter(({command, step}) => step === 'send' || (step === null && command.endsWith(' send')));
  const sent = sends.some(({result}) => result === 'ok');
  const maybe = sends.some(inDoubt);
  return {
    unsettled: own.some((write) => inDoubt(write) && now - (write.step_at ?? write.at) <= settle),
    ...(sent ? {send: 'sent' as const} : maybe && {send: 'in_doubt' as const}),
  };
}
