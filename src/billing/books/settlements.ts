// Statements that were settled outside the service, and why. Only the history of this machine knows.

interface RecordedChange {
  readonly at: number;
  readonly profile: string;
  readonly mode: string;
  readonly command: string;
  readonly ids: readonly string[];
  readonly amount: number | null;
  readonly reason: string | null;
  readonly applied: string | null;
}

export interface Settlement {
  /** Unix seconds. */
  readonly at: number;
  /** What `--paid-outside` said: `cash, 12 Nov`. */
  readonly reason: string;
  /** Centavos. */
  readonly amount: number | null;
  /** Whether the change is known to have been made. If not, the status of the statement tells. */
  readonly isCertain: boolean;
}

export const SETTLE_COMMAND = 'billing-statements settle';

/** The settlements of one account by the id of the statement. @param records newest first */
export function settlementsIn(
  records: Iterable<RecordedChange>,
  {profile, mode}: Pick<RecordedChange, 'mode' | 'profile'>,
): Map<string, Settlement> {
  const settlements = new Map<string, Settlement>();
  for (const record of records) {
    const {at, reason, amount, applied} = record;
    const isOwn = record.command === SETTLE_COMMAND && record.profile === profile && record.mode === mode;
    if (!isOwn || reason === null || applied === 'no') continue;
    const isCertain = applied === 'yes';
    for (const id of record.ids) {
      // A certain one outweighs a later one in doubt.
      if (!id.startsWith('bstm_') || (settlements.has(id) && (!isCertain || settlements.get(id)!.isCertain))) continue;
      settlements.set(id, {at, reason, amount, isCertain});
    }
  }
  return settlements;
}
