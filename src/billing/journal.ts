// The journal of a run: each call is recorded before it is made, so that a killed run is noticed and no statement is sent twice.

/** The calls of a run that change something. */
export type Step = 'customer' | 'draft' | 'item' | 'remove' | 'due' | 'void' | 'finalize' | 'send';

/** What earlier runs on this machine did to a statement. */
export interface Earlier {
  /** A change may still be applied: a run ended, or was killed, with an unknown outcome less than the settle time ago. */
  readonly unsettled: boolean;
  /** Whether it was sent: `sent`, or `in_doubt` where it may have been. */
  readonly send?: 'in_doubt' | 'sent';
}

export interface Journal {
  /** Records that a call is about to be made. @throws CentavoError kind `local_io`; then the call must not be made */
  readonly intend: (step: Step, ids: readonly string[]) => void;
  /** Records an object as soon as its id is known. @throws CentavoError kind `local_io` */
  readonly made: (id: string) => void;
  /** Records whether the statement was sent. Never throws: without a record, it is unknown. */
  readonly sendEnded: (sent: boolean) => void;
  /** What all other runs have done so far. @throws CentavoError kind `local_io` */
  readonly earlier: (statementId: string) => Earlier;
}

/** The steps that record whether a statement was sent. */
export const SENT = 'sent';
export const NOT_SENT = 'not_sent';

/** What the journal needs to know of an earlier write. */
interface EarlierWrite {
  readonly command: string;
  readonly ids: readonly string[];
  readonly result: string;
  readonly applied: string | null;
  readonly at: number;
  readonly step: string | null;
  readonly step_at: number | null;
  readonly ended_at: number | null;
}

/**
 * @param writes every write of this machine except the current one
 * @param now unix seconds
 * @param settle seconds
 */
export function earlierRuns(writes: Iterable<EarlierWrite>, statementId: string, now: number, settle: number): Earlier {
  const own: EarlierWrite[] = [];
  for (const write of writes) if (write.ids.includes(statementId)) own.push(write);
  const sends = own.map(sendOf);
  return {
    unsettled: own.some((write) => isInDoubt(write) && now - (write.ended_at ?? write.step_at ?? write.at) <= settle),
    ...(sends.includes('sent') ? {send: 'sent' as const} : sends.includes('in_doubt') && {send: 'in_doubt' as const}),
  };
}

const isInDoubt = ({result, applied}: EarlierWrite): boolean => result === 'unfinished' || applied === 'unknown';

function sendOf({command, step, result, applied}: EarlierWrite): Earlier['send'] {
  if (step === SENT) return 'sent';
  // The intention to send without an outcome.
  if (step === 'send') return result === 'ok' ? 'sent' : 'in_doubt';
  if (step !== null || !command.endsWith('billing-statements send')) return undefined;
  // When one command sent several, it is not known here which of them were sent.
  return result === 'ok' ? 'sent' : applied === 'no' ? undefined : 'in_doubt';
}
