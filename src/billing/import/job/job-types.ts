// Types of a job's file: the job, its rows and its customers.

/** `ready`: created, but not started. `ended`: a run has tried all rows; some may have failed or be incomplete. */
export type JobState = 'abandoned' | 'ended' | 'ready' | 'running';

export interface JobHeader {
  readonly id: string;
  /** Name of the file; `-` for stdin. */
  readonly source: string;
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** Identifies the account: an import never continues with another account. */
  readonly account: string;
  readonly finalize: boolean;
  readonly send: boolean;
  /** The period that the file bills: `2026-11`; null if none was named. */
  readonly period: string | null;
  /** SHA-256 of the file's bytes, in hex. */
  readonly digest: string;
  /** Unix seconds by the account's clock, as `ended_at`. */
  readonly created_at: number;
  /** File for ids, numbers, links and errors; null for none. */
  readonly result_file: string | null;
}

export interface JobRecord extends JobHeader {
  readonly state: JobState;
  /** Unix seconds; null until the job ends. */
  readonly ended_at: number | null;
  /** Unix seconds by the service's clock. No statement of this job is older. */
  readonly since: number;
  /** Creation time of the account's newest statement when the file was checked. Unix seconds by the service's clock. */
  readonly newest: number;
  readonly customers_since: number;
  /** True if each created draft was compared with the drafts of other imports. */
  readonly rivals_checked: boolean;
}

/** Phase of a row: `planned` → `drafting` → `drafted` → `finishing` → `done`; or `failed`. */
export type RowPhase = 'done' | 'drafted' | 'drafting' | 'failed' | 'finishing' | 'planned';

/** `yes` if the statement was emailed from this machine; `unknown` if the outcome of the call is not known. */
export type EmailState = 'no' | 'unknown' | 'yes';

export interface StatementRow {
  /** From 1, in the order of the file. */
  readonly n: number;
  readonly external_id: string;
  /** The exact value of the number's cell, under which earlier imports billed it; null if the sheet shows the same text. */
  readonly raw_external_id: string | null;
  /** Line of the file on which the row begins. */
  readonly line: number;
  /** Value of the metadata key that identifies the draft. */
  readonly key: string;
  /** Key by the exact values of the cells; null if the sheet shows the same texts. */
  readonly raw_key: string | null;
  /** Key of the row without a period; equals `key` in a job without one. */
  readonly plain_key: string;
  /** The customer's id, lower-case email address or normalized name, from the file. */
  readonly customer: string;
  /** The due date as text, and in unix seconds. */
  readonly due: string | null;
  readonly due_at: number | null;
  readonly description: string | null;
  /** JSON. */
  readonly metadata: string | null;
  /** Centavos. */
  readonly amount: number;
  /** A total that the file states for the whole statement, as JSON of a `RowClaim`. */
  readonly claim: string | null;
  readonly phase: RowPhase;
  /** Random metadata value that marks the draft as this job's; null until a draft is needed. */
  readonly run: string | null;
  /** 1 if the statement was complete before this job began. Totals of the job exclude such rows. */
  readonly billed_before: number;
  /** Unix seconds of a call of unknown outcome. The service may still apply the call within the settle time. */
  readonly unsettled_at: number | null;
  /** 1 once this job has started to finalize the statement. */
  readonly opened: number;
  readonly id: string | null;
  readonly number: string | null;
  readonly link: string | null;
  readonly status: string | null;
  /** Null for a statement of another machine, which may have sent it. */
  readonly sent: EmailState | null;
  /** Unix seconds at which the user chose to send the statement again. Earlier sends do not count. */
  readonly resend_at: number | null;
  readonly error_code: string | null;
  readonly error: string | null;
}

export interface JobCustomer {
  /** An id, lower-case email address or normalized name, from the file. */
  readonly ref: string;
  readonly id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  /** 1 if this job creates the customer; 2 once duplicates of other imports are merged. */
  readonly creates: number;
  /** Id of the customer that this job created, if another import created the same customer earlier. */
  readonly surplus: string | null;
}

/** Counts and amounts of a job's own statements, by state. */
export interface JobTally {
  readonly statements: number;
  /** Centavos. */
  readonly amount: number;
  readonly customers: number;
  readonly newCustomers: number;
  readonly done: number;
  readonly doneAmount: number;
  readonly sent: number;
  /** Rows that have a complete draft and are not done. */
  readonly drafted: number;
  readonly failed: number;
  /** Void statements and deleted drafts. */
  readonly voided: number;
  /** Rows that may have been sent, or for which a call may have been applied. */
  readonly inDoubt: number;
}
