// AUDIT: what was changed from this machine, one line for each beginning and each end, only ever added to. This file: its types.

import type {Applied} from '../errors.js';

/** A write as it is about to be sent. Never holds a secret. */
export interface AuditedWrite {
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** `billing-statements finalize`; never its arguments. */
  readonly command: string;
  /** Ids that the write names. */
  readonly ids: readonly string[];
  /** Centavos, where the write is about an amount. */
  readonly amount?: number;
}

/** How a write ended. */
export interface AuditedEnd {
  /** `ok`, or the code of the error: `outcome_unknown`. */
  readonly result: string;
  readonly exitCode: number;
  readonly applied: Applied;
}

/** One write as `centavo history` shows it. */
export interface AuditRecord {
  /** Unix seconds at which it began. */
  readonly at: number;
  readonly profile: string;
  readonly mode: string;
  readonly command: string;
  /** Those named, and then those made. */
  readonly ids: readonly string[];
  /** Centavos. */
  readonly amount: number | null;
  /** `ok`, the code of an error, or `unfinished` where no end was recorded: the process was killed. */
  readonly result: string;
  readonly exit_code: number | null;
  readonly applied: string | null;
  /** The last step that was about to be taken, of a write that takes several: `send`, and after it `sent` or `not_sent`; null of the others. */
  readonly step: string | null;
  /** Unix seconds at which that step was about to be taken. */
  readonly step_at: number | null;
  /** Unix seconds at which it ended; null where no end was recorded. */
  readonly ended_at: number | null;
}

export interface Audit {
  /** The file in which it is kept. */
  readonly path: string;
  /**
   * Records that a write is about to be sent; it is on the disk when this returns.
   * @throws CentavoError kind `local_io` when it cannot be recorded: then nothing may be sent
   */
  begin(write: AuditedWrite): void;
  /** Notes an object that the write begun last made or met, for the end's record. */
  touched(id: string): void;
  /**
   * Records that the write begun last is about to take one of its steps, and on which objects; it is on the disk when this returns.
   * Without a write begun it does nothing.
   * @throws CentavoError kind `local_io` when it cannot be recorded: then the step may not be taken
   */
  step(name: string, ids: readonly string[]): void;
  /** Of the writes whose end is not recorded yet: whether there are any, and whether all of them found everything as it was to be. */
  readonly open: 'none' | 'unchanged' | 'changing';
  /** Notes that the write begun last found everything as it was to be: that it went well then changed nothing. */
  unchanged(): void;
  /** Records how the writes begun in this process ended; does nothing when none was. Never throws: the change is made. @returns whether it could be recorded */
  end(outcome: AuditedEnd): boolean;
  /**
   * Every write, oldest first. A torn last line is left out.
   * @param tellUnreadable is told how many lines before it could not be read, when there are any
   * @throws CentavoError kind `local_io`
   */
  records(tellUnreadable?: (lines: number) => void): AuditRecord[];
  /** The same without the writes that this process has begun and not ended. @throws CentavoError kind `local_io` */
  others(): AuditRecord[];
}
