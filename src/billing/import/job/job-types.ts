// Types of a job's file: the job, its rows and its customers.

/** `ready`: checked and not begun. `ended`: every row is done, failed or has an unknown outcome. */
export type JobState = 'abandoned' | 'ended' | 'ready' | 'running';

export interface JobHeader {
  readonly id: string;
  /** Name of the file, or `-`. */
  readonly source: string;
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** Identifies the account: an import never continues with another account. */
  readonly account: string;
  readonly finalize: boolean;
  readonly send: boolean;
  /** Unix seconds. */
  readonly created_at: number;
  /** File for ids, numbers, links and errors; null for none. */
  readonly result_file: string | null;
}

export interface JobRecord extends JobHeader {
  readonly state: JobState;
  /** Unix seconds; null while it has not ended. */
  readonly ended_at: number | null;
  /** Unix seconds by the clock of the service: nothing that this job made is older. */
  readonly since: number;
  /** The same: nothing that the account had when the file was checked is younger. */
  readonly newest: number;
  readonly customers_since: number;
  /** True if each created draft was compared with the drafts of other imports. */
  readonly rivals_checked: boolean;
}

/** Phase of a row: `planned` → `drafting` → `drafted` → `finishing` → `done`; or `failed`. */
export type RowPhase = 'done' | 'drafted' | 'drafting' | 'failed' | 'finishing' | 'planned';

/** Whether this job emailed the statement. */
export type EmailState = 'no' | 'unknown' | 'yes';

export interface StatementRow {
  /** From 1, in the order of the file. */
  readonly n: number;
  readonly external_id: string;
  /** Line of the file on which it begins. */
  readonly line: number;
  /** Value of the metadata key that identifies the draft. */
  readonly key: string;
  /** As in the file: an id, or an email address in lower case. */
  readonly customer: string;
  /** As typed, and in unix seconds. */
  readonly due: string | null;
  readonly due_at: number | null;
  readonly description: string | null;
  /** JSON. */
  readonly metadata: string | null;
  /** Centavos. */
  readonly amount: number;
  readonly phase: RowPhase;
  /** Random: the metadata key that says that its draft is this job's. Null before there is one. */
  readonly run: string | null;
  /** 1 when all that is wanted was done before this job began: it is not counted as this job's. */
  readonly billed_before: number;
  /** Unix seconds of a call of unknown outcome: it may still be applied for the settle time. */
  readonly unsettled_at: number | null;
  /** 1 when this job has begun to finalize it. */
  readonly opened: number;
  readonly id: string | null;
  readonly number: string | null;
  readonly link: string | null;
  /** Status at the service, as last seen. */
  readonly status: string | null;
  readonly sent: EmailState;
  /** Unix seconds at which a person decided to send it again: earlier sends do not count. */
  readonly resend_at: number | null;
  readonly error_code: string | null;
  readonly error: string | null;
}

export interface JobCustomer {
  /** As in the file: an id, or an email address in lower case. */
  readonly ref: string;
  readonly id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  /** 1 if this job creates it, 2 once no other import can have created it. */
  readonly creates: number;
  /** Id of the one that this job created, where another import was faster. */
  readonly surplus: string | null;
}

/** Numbers and amounts of a job's own statements in each state. */
export interface JobTally {
  readonly statements: number;
  /** Centavos of all of them. */
  readonly amount: number;
  readonly customers: number;
  readonly newCustomers: number;
  readonly done: number;
  readonly doneAmount: number;
  readonly sent: number;
  /** Their drafts are made, and they wait to be finalized. */
  readonly drafted: number;
  readonly failed: number;
  /** Statements that bill no one: void, or deleted drafts. */
  readonly voided: number;
  /** They may have been sent, or a call for them may have been applied. */
  readonly inDoubt: number;
}
