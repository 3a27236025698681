// Queries of the history about one object: sends from this machine, refunds and settlements.

/** A write with the steps that concern the object. */
export interface RecordedWrite {
  readonly command: string;
  /** Unix seconds; `lastSign` of its end, or else of its last step. */
  readonly at: number;
  readonly lastActivityAt: number;
  readonly result: string;
  readonly applied: string | null;
  /** Centavos. */
  readonly amount: number | null;
  readonly reason: string | null;
  /** The first object that it names. */
  readonly firstObject: string | null;
  readonly steps: readonly {readonly step: string; readonly at: number}[];
}

/** The steps that record whether a statement was sent. */
export const SENT_STEP = 'sent';
export const NOT_SENT_STEP = 'not_sent';

export interface RecordedSend {
  /** Unix seconds. */
  readonly at: number;
  readonly state: 'in_doubt' | 'sent';
}

/** Earlier activity of other commands of this machine on a statement. */
export interface EarlierActivity {
  /** A change may still be applied: a run ended, or was killed, with an unknown outcome less than the settle time ago. */
  readonly unsettled: boolean;
  /** `sent`, or `in_doubt` if it may have been sent. */
  readonly send?: RecordedSend['state'];
}

/** @param writes newest first @param now unix seconds @param settle milliseconds */
export function earlierActivityOf(writes: readonly RecordedWrite[], now: number, settle: number): EarlierActivity {
  const sends = writes.map((write) => recordedSendOf(write)?.state);
  const send = sends.includes('sent') ? 'sent' : sends.find((state) => state !== undefined);
  return {
    unsettled: writes.some((write) => isOutcomeUnknown(write) && (now - write.lastActivityAt) * 1000 <= settle),
    ...(send && {send}),
  };
}

const isOutcomeUnknown = ({result, applied}: RecordedWrite): boolean =>
  result === 'unfinished' || applied === 'unknown';

/** Returns the send of an object that a change made or may have made. */
export function recordedSendOf({
  command,
  at,
  steps,
  result,
  applied,
}: Pick<RecordedWrite, 'applied' | 'at' | 'command' | 'result' | 'steps'>): RecordedSend | undefined {
  if (steps.length === 0) {
    if (!command.endsWith('billing-statements send') || (result !== 'ok' && applied === 'no')) return undefined;
    // A command that sent several does not record which of them were sent.
    return {at, state: result === 'ok' ? 'sent' : 'in_doubt'};
  }
  let send: RecordedSend | undefined;
  for (const each of steps) {
    if (each.step === NOT_SENT_STEP) send = undefined;
    // An intended send without an outcome is unknown.
    else if (each.step === SENT_STEP || each.step === 'send')
      send = {at: each.at, state: each.step === SENT_STEP || result === 'ok' ? 'sent' : 'in_doubt'};
  }
  return send;
}

export interface LocalRefund {
  /** Unix seconds. */
  readonly at: number;
  /** Centavos. */
  readonly amount: number;
  /** True if the API confirmed it; otherwise it may have been made. */
  readonly isCertain: boolean;
}

export interface LocalSettlement {
  /** Unix seconds. */
  readonly at: number;
  /** The value of `--paid-outside`: `cash, 12 Nov`. */
  readonly reason: string;
  /** Centavos. */
  readonly amount: number | null;
  /** True if the change is known to have been made. Otherwise the statement's status decides. */
  readonly isCertain: boolean;
  readonly isGivenUp?: true;
}
