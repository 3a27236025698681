// The journal of a run: each call is recorded before it is made, so that a killed run is noticed and no statement is sent twice.

import {DAY} from '../../ground/manila.js';

/** The calls of a run that change something. */
export type Step = 'take' | 'customer' | 'draft' | 'item' | 'change' | 'remove' | 'due' | 'void' | 'finalize' | 'send';

/** What earlier runs on this machine did to a statement. */
export interface Earlier {
  /** A change may still be applied: a run ended, or was killed, with an unknown outcome less than the settle time ago. */
  readonly unsettled: boolean;
  /** Whether it was sent: `sent`, or `in_doubt` where it may have been. */
  readonly send?: 'in_doubt' | 'sent';
}

export interface Journal {
  /** Records that a call is about to be made. @throws CentavoError kind `local_io`; then the call must not be made */
  readonly intend: (step: Step, ids: readonly string[]) => Promise<void> | void;
  /** Records an object as soon as its id is known. */
  readonly made: (id: string) => void;
  /** Records whether the statement was sent. Never throws: without a record, it is unknown. */
  readonly sendEnded: (statementId: string, sent: boolean) => void;
  /** What all other runs have done so far. */
  readonly earlier: (statementId: string) => Earlier;
}

/** The steps that record whether a statement was sent. */
export const SENT = 'sent';
export const NOT_SENT = 'not_sent';

export interface EarlierWrite {
  readonly command: string;
  readonly ids: readonly string[];
  readonly result: string;
  readonly applied: string | null;
  readonly at: number;
  readonly steps: readonly {readonly step: string; readonly at: number; readonly ids: readonly string[]}[];
  readonly ended_at: number | null;
}

export interface EarlierSend {
  /** Unix seconds. */
  readonly at: number;
  readonly state: 'in_doubt' | 'sent';
}

/** @param writes every write of this machine except the current one @param now unix seconds @param settle seconds */
export function earlierRuns(writes: Iterable<EarlierWrite>, statementId: string, now: number, settle: number): Earlier {
  const own: EarlierWrite[] = [];
  for (const write of writes) if (write.ids.includes(statementId)) own.push(write);
  const sends = own.map((write) => sendsOf(write).get(statementId)?.state);
  return {
    unsettled: own.some((write) => isInDoubt(write) && now - lastSignOf(write) <= settle),
    ...(sends.includes('sent') ? {send: 'sent' as const} : sends.includes('in_doubt') && {send: 'in_doubt' as const}),
  };
}

/** What earlier commands did to a statement on this machine. Times in milliseconds since the epoch. */
export interface Former extends Earlier {
  /** When a run is recorded to have made it, and to have begun to finalize it. */
  readonly madeAt?: number;
  readonly finalizedAt?: number;
}

/** The same, with what a release that kept no journal of runs recorded. */
export function formerOf(writes: Iterable<EarlierWrite>, statementId: string, now: number, settle: number): Former {
  const own = [...writes].filter(({ids}) => ids.includes(statementId));
  const lastOf = (step: string): number | undefined => {
    const at = own
      .flatMap(({steps}) => steps)
      .findLast((each) => each.step === step && each.ids.includes(statementId))?.at;
    return at === undefined ? undefined : at * 1000;
  };
  return {...earlierRuns(own, statementId, now, settle), madeAt: lastOf('draft'), finalizedAt: lastOf('finalize')};
}

/** The longest that a run may last, in seconds: a write that began earlier than that before a time holds no send after it. */
const LONGEST_RUN = 30 * DAY;

/**
 * The last time at which each statement was sent from this machine, or may have been.
 * @param writes newest first, read until one is too old @param since unix seconds; earlier sends may be left out
 */
export function lastSends(writes: Iterable<EarlierWrite>, since = 0): Map<string, EarlierSend> {
  const sends = new Map<string, EarlierSend>();
  for (const write of writes) {
    if (write.at < since - LONGEST_RUN) break;
    for (const [id, send] of sendsOf(write)) if (send.at >= (sends.get(id)?.at ?? 0)) sends.set(id, send);
  }
  return sends;
}

const lastSignOf = ({at, ended_at: ended, steps}: EarlierWrite): number => ended ?? steps.at(-1)?.at ?? at;
const isInDoubt = ({result, applied}: EarlierWrite): boolean => result === 'unfinished' || applied === 'unknown';

/** What a write sent, or may have sent: the last time of each statement. */
function sendsOf({command, at, ids, steps, result, applied}: EarlierWrite): Map<string, EarlierSend> {
  const sends = new Map<string, EarlierSend>();
  if (steps.length > 0) {
    for (const step of steps) {
      if (step.step !== 'send' && step.step !== SENT && step.step !== NOT_SENT) continue;
      // Of several statements, each step names its own; the outcome for a single one may name none.
      for (const id of step.ids.length > 0 ? step.ids : ids) {
        // An intention to send without an outcome is in doubt.
        const state = step.step === SENT || result === 'ok' ? 'sent' : 'in_doubt';
        if (step.step === NOT_SENT) sends.delete(id);
        else sends.set(id, {at: step.at, state});
      }
    }
    return sends;
  }
  if (!command.endsWith('billing-statements send') || (result !== 'ok' && applied === 'no')) return sends;
  // When one command sent several, it is not known here which of them were sent.
  for (const id of ids) sends.set(id, {at, state: result === 'ok' ? 'sent' : 'in_doubt'});
  return sends;
}
