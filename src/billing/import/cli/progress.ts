// Shows the progress of an import: a bar at a terminal, or a line every ten seconds. Prints JSON records of ended rows.

import type {JobHeader, StatementRow, JobTally} from '../job/job-types.js';
import type {JobFile} from '../job/job-file.js';
import type {ImportWait} from '../row-workers.js';
import type {Context} from '../../../context/context.js';
import {formatInteger} from '../../../common/counts.js';
import {capitalized} from '../../../common/errors.js';
import {timeOfDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {oneLineText, toJson, wrapText} from '../../../output/format.js';
import {WAITS} from '../../statement/cli/compose-statement.js';
import {isNumbered} from '../../../input/own-numbers.js';
import {bar} from '../../../output/tables/bars.js';

/** Milliseconds between two lines without a terminal, and between two frames at a terminal. */
const LINE_INTERVAL = 10_000;
const FRAME_INTERVAL = 100;
/** Milliseconds over which the pace is measured, and the minimum for an estimate. */
const PACE_WINDOW = 15_000;
const MIN_PACE_WINDOW = 1000;
/** Milliseconds without a response before the silence is reported. */
const SILENCE = 5000;
/** Milliseconds without progress after which the reason for the wait is shown. */
const IDLE = 2000;
/** The reason for a wait: its verb, the words after its end, and short words before it. */
const REASONS: Readonly<Partial<Record<Wait[1], readonly [verb: string, why: string, inShort: string]>>> = {
  barrier: ['checking', 'that no other import bills these rows', 'for other imports '],
  customers: ['checking', 'that no other import created these customers', 'for other imports '],
  limited: ['waiting', 'because the API limits requests', ''],
  unavailable: ['waiting', 'because the API was not available', ''],
};
const reasonOf = (why: Wait[1]) => REASONS[why] ?? (['checking', WAITS[why as keyof typeof WAITS], ''] as const);
/** Columns. The bar takes a quarter of the line. The margin is for the `^C` that a terminal prints. */
const MAX_BAR = 40;
const MIN_BAR = 8;
const NARROW = 70;
const MARGIN = 3;

/** A row, as in JSON output and in the result file. */
export const rowRecordOf = (row: StatementRow, job: JobFile) => {
  const {external_id, id, number, status, sent, amount, link, error, error_code} = row;
  const {mode} = job.record;
  return {external_id, customer_name: job.nameOf(row), id, number, status, sent, amount, link, mode, error_code, error};
};

export const rowLine = (row: StatementRow, job: JobFile) => `${toJson({type: 'row', ...rowRecordOf(row, job)})}\n`;

export const rowPayerOf = (job: JobFile, row: StatementRow): string => job.nameOf(row) ?? row.customer;

export const formatRowEnd = ({finalize, send}: Pick<JobHeader, 'finalize' | 'send'>): string =>
  send ? 'sent' : finalize ? 'finalized' : 'created';

/** The end of a wait, in milliseconds since the epoch, and the reason for the wait. */
type Wait = readonly [until: number, why: ImportWait];

export class ImportProgress {
  readonly #context: Context;
  readonly #job: JobFile;
  readonly #printsRows: boolean;
  /** Counts, updated here because counting rows again is slow. `drafted` excludes rows that may have been sent. */
  readonly #tally: {-readonly [Name in keyof JobTally]: JobTally[Name]};
  /** Average requests for a draft with its items, and requests to finish the statement. */
  readonly #draft: number;
  readonly #finish: number;
  #customersMade = 0;
  /** Numbers of rows that may have been sent. */
  readonly #inDoubt: Set<number>;
  /** Samples of the remaining requests; `at` is in milliseconds since the epoch. */
  #measured: {readonly at: number; readonly remaining: number}[] = [];
  #silentSince: number | undefined;
  #wait: Wait | undefined;
  #lastUpdate: number | undefined;
  #lastShown: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: Context, job: JobFile, printsRows: boolean) {
    const {tally} = job;
    const {finalize, send} = job.record;
    this.#context = context;
    this.#job = job;
    this.#printsRows = printsRows;
    this.#draft = 1 + job.itemCount / Math.max(1, tally.statements);
    // Finalizing includes a request for the due date.
    this.#finish = (finalize ? 2 : 0) + Number(send);
    this.#inDoubt = new Set(job.sendsInDoubt().map(({n}) => n));
    this.#tally = {...tally, drafted: tally.drafted - this.#inDoubt.size};
    this.#lastShown = context.steadyNow();
  }

  addCustomer(): void {
    this.#customersMade++;
    this.#lastUpdate ??= this.#context.steadyNow();
    this.show();
  }

  /** @param since milliseconds since the epoch; undefined once the service has answered */
  setSilentSince(since: number | undefined): void {
    this.#silentSince = since;
  }

  setWait(...wait: Wait): void {
    const [until, why] = wait;
    const {io, steadyNow} = this.#context;
    const [verb, words] = reasonOf(why);
    // A pause of all calls does not hide a longer wait.
    if (verb === 'waiting' && (this.#wait?.[0] ?? 0) > until) return;
    // A job may begin with a wait, before any progress can be shown.
    if (this.#lastUpdate === undefined && this.#wait === undefined && until - steadyNow() >= IDLE)
      io.note(`${capitalized(verb)} until ${timeOfDay(until)} ${words}.`);
    this.#wait = wait;
    this.show();
  }

  update(row: StatementRow): void {
    const {phase, sent, error} = row;
    this.#lastUpdate = this.#context.steadyNow();
    if (phase === 'drafted') this.#tally.drafted++;
    else if (phase === 'done' || phase === 'failed' || sent === 'unknown') this.#countEnded(row);
    if (phase === 'failed') {
      const {io} = this.#context;
      const place = isNumbered(row) ? `line ${row.line}, ${row.external_id}` : row.external_id;
      const text = oneLineText(`${place}, ${rowPayerOf(this.#job, row)}: ${error}`);
      for (const line of wrapText(text, io.sentenceWidth, 0, 2)) io.note(line);
    }
    this.show();
  }

  #countEnded(row: StatementRow): void {
    const {phase} = row;
    const tally = this.#tally;
    // A row with an unknown outcome no longer counts as a draft.
    if (!this.#inDoubt.delete(row.n) && row.opened === 1) tally.drafted--;
    if (phase === 'done') {
      tally.done++;
      tally.doneAmount += row.amount;
    } else if (phase === 'failed') tally.failed++;
    else this.#inDoubt.add(row.n);
    if (!this.#printsRows) return;
    const line = rowLine(row, this.#job);
    this.#writing = this.#writing.then(() => this.#context.io.out(line));
    this.#writing.catch(() => {});
  }

  async end(): Promise<void> {
    this.#context.io.progress(undefined);
    await this.#writing;
  }

  /** Prints the progress at most once per interval. */
  show(): void {
    const {io, steadyNow} = this.#context;
    const now = steadyNow();
    const isDrawn = io.canDraw;
    if (now - this.#lastShown < (isDrawn ? FRAME_INTERVAL : LINE_INTERVAL)) return;
    this.#lastShown = now;
    if (isDrawn) io.progress(this.#line(io.width - MARGIN, now));
    else io.note(this.#texts(now).join(' · '));
  }

  get #open(): number {
    const {statements, done, failed} = this.#tally;
    return statements - done - failed - this.#inDoubt.size;
  }

  /** Estimated requests until the job ends. */
  get #remaining(): number {
    const customers = this.#tally.newCustomers - this.#customersMade;
    const drafts = Math.max(0, this.#open - this.#tally.drafted);
    return customers + drafts * this.#draft + this.#open * this.#finish;
  }

  /** Recent requests per second; undefined until enough time was measured. */
  #pace(now: number): number | undefined {
    this.#measured = this.#measured.filter(({at}) => now - at <= PACE_WINDOW);
    this.#measured.push({at: now, remaining: this.#remaining});
    const {at, remaining: left} = this.#measured[0]!;
    return now - at >= MIN_PACE_WINDOW && left > this.#remaining
      ? ((left - this.#remaining) * 1000) / (now - at)
      : undefined;
  }

  /** @param brief omits the total amount */
  #texts(now: number, brief = false): string[] {
    const {failed} = this.#tally;
    return [
      this.#countText(),
      ...(failed > 0 ? [`${formatInteger(failed)} failed`] : []),
      ...(this.#inDoubt.size > 0 ? [`${formatInteger(this.#inDoubt.size)} unknown`] : []),
      ...this.#timing(now, brief),
    ];
  }

  #countText(): string {
    const {statements, drafted, done, newCustomers} = this.#tally;
    if (this.#customersMade < newCustomers && drafted + done === 0)
      return `${formatInteger(this.#customersMade)} of ${formatInteger(newCustomers)} customers created`;
    return this.#finish > 0 && drafted < this.#open
      ? `${formatInteger(drafted + done)} of ${formatInteger(statements)} drafts created`
      : `${formatInteger(done)} of ${formatInteger(statements)} ${formatRowEnd(this.#job.record)}`;
  }

  #isWaiting(now: number): boolean {
    const [until, why] = this.#wait ?? [0, 'barrier'];
    return now < until && (why in REASONS || now - (this.#lastUpdate ?? 0) >= IDLE);
  }

  #timing(now: number, brief: boolean): string[] {
    const silent = this.#silentSince === undefined ? 0 : now - this.#silentSince;
    if (this.#context.signal.aborted) return ['stopping'];
    if (silent >= SILENCE) {
      this.#measured = [];
      return [`no response for ${formatDuration(silent / 1000)}`];
    }
    if (this.#isWaiting(now)) {
      this.#measured = [];
      const [until, why] = this.#wait!;
      const [verb, words, inShort] = reasonOf(why);
      const at = timeOfDay(until);
      return [brief ? `${verb} ${inShort}until ${at}` : `${verb} until ${at} ${words}`];
    }
    const pace = this.#pace(now);
    const {done, doneAmount, amount} = this.#tally;
    const amounts = done > 0 ? [`${formatPesos(doneAmount)}${brief ? '' : ` of ${formatPesos(amount)}`}`] : [];
    if (pace === undefined) return amounts;
    const rate = formatRate(pace / (this.#draft + this.#finish));
    return [`${formatDuration(this.#remaining / pace)} left`, ...amounts, rate];
  }

  /** Returns a bar, and the longest text that fits beside the bar. */
  #line(width: number, now: number): string {
    const {io} = this.#context;
    // The reason for a wait matters more than a bar that does not move.
    const isNarrow = width < NARROW || this.#isWaiting(now);
    const barWidth = isNarrow ? MIN_BAR : Math.min(MAX_BAR, Math.floor(width / 4));
    const brief = this.#texts(now, true);
    const forms = [this.#texts(now), ...brief.map((_, dropped) => brief.slice(0, brief.length - dropped))];
    const texts = forms.map((words) => words.join(' · '));
    if (this.#isWaiting(now)) texts.splice(2, 0, texts[1]!.replace(' for other imports', ''));
    const text = texts.find((each) => each.length + 2 + barWidth <= width) ?? texts.at(-1)!;
    const {newCustomers, statements} = this.#tally;
    const all = newCustomers + statements * (this.#draft + this.#finish);
    const drawn = bar(all - this.#remaining, all, barWidth, io);
    return `${drawn.padEnd(barWidth, io.utf8 ? '░' : '-')}  ${text}`;
  }
}

/** `9.4/s`, or `24/min` below one per second. */
const formatRate = (perSecond: number): string =>
  perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${Math.ceil(perSecond * 60)}/min`;

/** `43 s`, `2 min`, `1 h 5 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
