// Every error of centavo, and the only table of exit codes. `help exit-codes` says what each means.
// Every module may import this folder, which imports no other.

export const EXIT_CODES = {
  ok: {exit: 0},
  internal: {exit: 1},
  usage: {exit: 2},
  not_found: {exit: 3},
  auth: {exit: 4},
  rejected: {exit: 5},
  condition_unmet: {exit: 6},
  rate_limited: {exit: 7},
  unavailable: {exit: 8},
  timed_out: {exit: 9},
  outcome_unknown: {exit: 10},
  partial: {exit: 11},
  refused: {exit: 12},
  keychain: {exit: 13},
  config: {exit: 14},
  local_io: {exit: 15},
  interrupted: {exit: 130},
  terminated: {exit: 143},
} as const;

export type ErrorKind = Exclude<keyof typeof EXIT_CODES, 'ok'>;

/** `yes` if a change was made despite the error; `unknown` if centavo cannot tell. */
export type Applied = 'no' | 'unknown' | 'yes';

export interface ErrorDetails {
  /** Stable code, narrower than the kind: `amount_below_minimum`. Defaults to the kind. */
  readonly code?: string;
  /** Cause, if known: one line. */
  readonly why?: string;
  /** Next step in words, if no command leads on. */
  readonly hint?: string;
  /** Commands that lead on, the best first. An error in text prints the first. */
  readonly next?: readonly NextCommand[];
  /** The flag that lifts the refusal. Only a person may decide that, so programs are told `needs_person` instead. */
  readonly override?: string;
  readonly ids?: readonly string[];
  /** Id of the import that the error is about. */
  readonly job?: string;
  /** Objects that match what was typed. */
  readonly candidates?: readonly {readonly id: string; readonly name?: string}[];
  /** True if the same command may succeed later. */
  readonly retryable?: boolean;
  readonly applied?: Applied;
  /** Replaces the default sentence for `applied`; empty for no sentence. */
  readonly changed?: string;
  /** The failed request, without headers and body. */
  readonly request?: {readonly method: string; readonly path: string; readonly operation?: string};
  /** HTTP status of the response, if any. */
  readonly status?: number;
  /** Seconds to wait before a retry, if the API asks for a wait. */
  readonly retryAfter?: number;
  /** Objects of a batch that failed or have an unknown outcome. */
  readonly results?: readonly FailedResult[];
  /** Faults in an input file; only the first if there are many. */
  readonly faults?: readonly FileFault[];
  /** The same faults for display: equal faults are combined. */
  readonly folded?: readonly FileFault[];
  /** Columns of a file that are not understood, with their first values and the number of rows that fill them. */
  readonly columns?: readonly {readonly column: string; readonly values: readonly string[]; readonly rows: number}[];
  /** True if only a person can say what comes next. */
  readonly needsPerson?: boolean;
  /** The agent program that was seen: its variable, and the process that has it. */
  readonly agent?: {readonly variable: string; readonly pid: number};
  /** What happened to the money of the refused object. */
  readonly standing?: {
    readonly state: string;
    readonly replaced_by?: {readonly id: string; readonly name: string};
    readonly unknown: readonly string[];
  };
  /** The equal change that this one would repeat. */
  readonly before?: EarlierChange;
  /** The stored change that a person has to approve, as JSON prints it. */
  readonly handOver?: object;
  /** Request id from the API, for its support team. */
  readonly requestId?: string;
  /** The first 20 errors from the API's response, each text cut at {@link MAX_TEXT} characters. */
  readonly apiErrors?: readonly {readonly code: string; readonly detail: string; readonly parameter?: string}[];
  readonly cause?: unknown;
}

/** A command of centavo that runs as it is, with the words that introduce it: `To see it`. */
export interface NextCommand {
  readonly words: string;
  readonly args: readonly string[];
}

/** @param command words, as text if none holds a space: `jobs get` @param args further arguments, as they are */
export const nextCommand = (
  words: string,
  command: string | readonly string[],
  ...args: readonly (string | readonly string[])[]
): NextCommand => ({words, args: [...(typeof command === 'string' ? command.split(' ') : command), ...args.flat()]});

/** An equal change that was made before, or may have been. `at`: unix seconds of its last act, by the account's clock. */
export interface EarlierChange {
  readonly at: number;
  readonly is_certain: boolean;
  readonly ids: readonly string[];
}

export interface FailedResult {
  readonly id: string;
  readonly code: string;
  readonly applied?: Applied;
  readonly apiErrors: NonNullable<ErrorDetails['apiErrors']>;
  readonly standing?: ErrorDetails['standing'];
}

export interface FileFault {
  /** Line number from 1; in a spreadsheet, the row. */
  readonly line: number;
  /** Column name; null for the whole row. */
  readonly column: string | null;
  /** Lines of combined errors as text: `3 to 9 and 14`. The value is then already quoted. */
  readonly lines?: string;
  /** Cell of a spreadsheet: `C18`, or `18:18` for a whole row. */
  readonly cell?: string;
  readonly value: string;
  readonly code: string;
  readonly problem: string;
  readonly fix: string;
  readonly next?: NextCommand;
  /** The flag that passes the row. Only a person may decide that. */
  readonly override?: string;
}

/** Kinds of errors after which nothing was applied, unless the error says otherwise. */
const NOTHING_SENT: readonly ErrorKind[] = ['config', 'keychain', 'refused', 'usage'];

/** An error with a message for users and a code for scripts. Any other thrown value is a bug in centavo. */
export class CentavoError extends Error {
  readonly kind: ErrorKind;
  readonly code: string;
  readonly details: ErrorDetails;

  constructor(kind: ErrorKind, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : {cause: details.cause});
    this.name = 'CentavoError';
    this.kind = kind;
    this.code = details.code ?? kind;
    this.details = NOTHING_SENT.includes(kind) ? {applied: 'no', ...details} : details;
  }

  get exitCode(): number {
    return EXIT_CODES[this.kind].exit;
  }

  with(details: ErrorDetails): CentavoError {
    return new CentavoError(this.kind, this.message, {...this.details, ...details});
  }
}

/** Error for invalid input, found before anything was sent. */
export const usageError = (code: string, message: string, details: ErrorDetails = {}): CentavoError =>
  new CentavoError('usage', message, {code, ...details});

export const refusedError = (code: string, message: string, details: ErrorDetails = {}): CentavoError =>
  new CentavoError('refused', message, {code, ...details});

export const messageAndReason = ({message, details: {why}}: CentavoError): string =>
  [message, why].filter(Boolean).join(' ');

/** Capitalizes a message. Messages start in lower case, to follow `Error: `. */
export const capitalized = (words: string): string =>
  // An id stays as it is.
  /^[a-z]+_/.test(words) ? words : words.charAt(0).toUpperCase() + words.slice(1);

/** Maximum characters of a value that is printed with its place. */
const MAX_SHOWN_VALUE = 60;

/** `line 18, column "Price", "1.250,50"`; in a spreadsheet, `row 18, column C "Price", "1.250,50"`. */
export function placeInFile({line, lines, column, cell, value}: FileFault): string {
  const named = [cell?.replace(/\d.*$/, ''), column && JSON.stringify(column)].filter(Boolean).join(' ');
  const shown =
    value === '' || value.length > MAX_SHOWN_VALUE ? '' : lines === undefined ? JSON.stringify(value) : value;
  const unit = cell === undefined ? 'line' : 'row';
  return [lines === undefined ? `${unit} ${line}` : `${unit}s ${lines}`, named && `column ${named}`, shown]
    .filter(Boolean)
    .join(', ');
}
