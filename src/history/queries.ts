// Finds an object's sends and uncertain changes in its history.

import type {RecordedSend} from '../accounting/standing.js';
import {NOT_MADE} from './history-writer.js';

/** A recorded change, with only the steps that concern the object. */
export interface RecordedWrite {
  readonly command: string;
  /** Unix seconds when the change began. `lastActivityAt` is its end, or else its last step. */
  readonly at: number;
  readonly lastActivityAt: number;
  readonly result: string;
  readonly applied: string | null;
  /** Centavos. */
  readonly amount: number | null;
  readonly reason: string | null;
  /** Id of the first object that the command named. */
  readonly firstObject: string | null;
  readonly steps: readonly {readonly step: string; readonly at: number}[];
  /** True while the process that makes the change lives. */
  readonly isRunning?: boolean;
}

/** The steps that record whether a statement was sent. */
export const SENT_STEP = 'sent';
export const NOT_SENT_STEP = 'not_sent';

/** Activity of other commands on a statement, from this machine. */
export interface EarlierActivity {
  /** True if a change of unknown outcome ended within the settle time, and may still be applied. */
  readonly unsettled: boolean;
  /** `in_doubt` if the statement may have been sent. */
  readonly send?: RecordedSend['state'];
}

/** @param writes newest first @param now unix seconds @param settle milliseconds */
export function earlierActivityOf(writes: readonly RecordedWrite[], now: number, settle: number): EarlierActivity {
  const sends = writes.map((write) => recordedSendOf(write)?.state);
  const send = sends.includes('sent') ? 'sent' : sends.find((state) => state !== undefined);
  return {
    unsettled: writes.some((write) => isUnknown(write) && (now - write.lastActivityAt) * 1000 <= settle),
    ...(send && {send}),
  };
}

/** True if a change may or may not have been made, or if no end was recorded. */
export const isUnknown = ({result, applied}: Pick<RecordedWrite, 'applied' | 'result'>): boolean =>
  result === 'unfinished' || applied === 'unknown';

/** Returns the recorded or possible send of an object by one change. */
export function recordedSendOf({
  command,
  at,
  steps,
  result,
  applied,
  isRunning,
}: Pick<RecordedWrite, 'applied' | 'at' | 'command' | 'isRunning' | 'result' | 'steps'>): RecordedSend | undefined {
  if (result === NOT_MADE) return undefined;
  if (steps.length === 0) {
    if (!command.endsWith('billing-statements send') || (result !== 'ok' && applied === 'no')) return undefined;
    // A command for several statements does not record which of them were sent.
    return {at, state: result === 'ok' ? 'sent' : 'in_doubt'};
  }
  let send: RecordedSend | undefined;
  for (const each of steps) {
    // A process that lives may be waiting before it sends again.
    if (each.step === NOT_SENT_STEP) send = isRunning ? {at: each.at, state: 'in_doubt'} : undefined;
    // A `send` step without an outcome is `in_doubt` unless the command succeeded.
    else if (each.step === SENT_STEP || each.step === 'send')
      send = {at: each.at, state: each.step === SENT_STEP || result === 'ok' ? 'sent' : 'in_doubt'};
  }
  return send;
}
