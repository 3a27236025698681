// How far an import is: a bar at a terminal, a line every ten seconds elsewhere, a record for each row in JSON.

import type {JobFacts, Phase, Row} from '../../../../billing/import/job/facts.js';
import type {JobFile} from '../../../../billing/import/job/file.js';
import type {RowNews} from '../../../../billing/import/run.js';
import {wrapped} from '../../../../cli/line/error-words.js';
import type {Context} from '../../../../context.js';
import {formatPesos} from '../../../../ground/pesos.js';
import {clean, toJson} from '../../../../output/format.js';
import {bar} from '../../../../output/tables/bars.js';

/** Milliseconds between two lines where there is no terminal, and between two pictures where there is. */
const LINE_INTERVAL = 10_000;
const PICTURE_INTERVAL = 100;
/** Milliseconds over which the pace is measured, and how many of them it takes to know it. */
const MEASURED = 15_000;
const LEAST_MEASURED = 1000;
/** Milliseconds without a response after which that is said. */
const SILENCE = 5000;
/** Requests that each step takes, about. */
const CUSTOMER = 1;
const DRAFT = 3;
const FINALIZE = 2;
const SEND = 2;
/** Columns. A quarter of the line is the bar; what a terminal writes for Ctrl-C goes behind it. */
const WIDEST_BAR = 40;
const NARROWEST_BAR = 8;
const NARROW = 70;
const MARGIN = 3;

/** A row as scripts get it, and as the result file has it. */
export const recordOf = (row: Row, job: JobFile) => {
  const {external_id, id, number, status, sent, amount, link, error, error_code} = row;
  return {external_id, customer_name: job.nameOf(row), id, number, status, sent, amount, link, error_code, error};
};

export const doneWord = ({finalize, send}: Pick<JobFacts, 'finalize' | 'send'>): string =>
  send ? 'sent' : finalize ? 'finalized' : 'created';

export class ImportProgress {
  readonly #context: Pick<Context, 'io' | 'nowMilliseconds' | 'signal'>;
  readonly #job: JobFile;
  readonly #inJson: boolean;
  readonly #total: number;
  readonly #amount: number;
  readonly #verb: string;
  /** Requests for a statement whose draft is complete. */
  readonly #finish: number;
  readonly #newCustomers: number;
  #customersMade = 0;
  /** Statements of which only the draft is made. */
  #drafted: number;
  #done: number;
  #doneAmount: number;
  #failed: number;
  /** Rows that may have been sent. */
  readonly #unclear: Set<number>;
  /** Milliseconds, and requests that were left then. */
  #measured: {readonly at: number; readonly left: number}[] = [];
  #silentSince: number | undefined;
  #lastShown: number;
  #writing: Promise<void> = Promise.resolve();

  constructor(context: Pick<Context, 'io' | 'nowMilliseconds' | 'signal'>, job: JobFile, inJson: boolean) {
    const {statements, amount, done, doneAmount, drafted, failed, newCustomers} = job.tally;
    const {finalize, send} = job.record;
    this.#context = context;
    this.#job = job;
    this.#inJson = inJson;
    this.#total = statements;
    this.#amount = amount;
    this.#verb = doneWord(job.record);
    this.#finish = (finalize ? FINALIZE : 0) + (send ? SEND : 0);
    this.#newCustomers = newCustomers;
    this.#done = done;
    this.#doneAmount = doneAmount;
    this.#failed = failed;
    this.#unclear = new Set(job.unclearSends().map(({n}) => n));
    this.#drafted = drafted - this.#unclear.size;
    this.#lastShown = context.nowMilliseconds();
  }

  addCustomer(): void {
    this.#customersMade++;
    this.show();
  }

  /** @param since milliseconds since the epoch; undefined when the service has answered */
  setSilence(since: number | undefined): void {
    this.#silentSince = since;
  }

  tell({row, phase, error}: RowNews): void {
    this.#count(row, phase);
    const isOver = phase === 'done' || phase === 'failed' || row.sent === 'unknown';
    if (this.#inJson && isOver) {
      const line = `${toJson({type: 'row', ...recordOf(row, this.#job)})}\n`;
      this.#writing = this.#writing.then(() => this.#context.io.out(line));
      this.#writing.catch(() => {});
    }
    if (phase === 'failed' && error) {
      const who = this.#job.nameOf(row) ?? row.customer;
      const {io} = this.#context;
      const text = clean(`line ${row.line}, ${row.external_id}, ${who}: ${error.message}`);
      for (const line of wrapped(text, io.tableWidth, 0, 2)) io.note(line);
    }
    this.show();
  }

  #count(row: Row, phase: Phase): void {
    if (phase === 'drafted') {
      this.#drafted++;
      return;
    }
    const isUnclear = row.sent === 'unknown';
    if (phase !== 'done' && phase !== 'failed' && !isUnclear) return;
    // One that was in doubt is not counted as a draft any more.
    if (!this.#unclear.delete(row.n) && row.opened === 1) this.#drafted--;
    if (phase === 'done') {
      this.#done++;
      this.#doneAmount += row.amount;
    } else if (phase === 'failed') this.#failed++;
    else this.#unclear.add(row.n);
  }

  async end(): Promise<void> {
    this.#context.io.progress(undefined);
    await this.#writing;
  }

  /** Says how far it is, unless that was said just now. */
  show(): void {
    const {io, nowMilliseconds} = this.#context;
    const now = nowMilliseconds();
    const isDrawn = io.canDraw;
    if (now - this.#lastShown < (isDrawn ? PICTURE_INTERVAL : LINE_INTERVAL)) return;
    this.#lastShown = now;
    if (isDrawn) io.progress(this.#line(io.width - MARGIN, now));
    else io.note(this.#words(now).join(' · '));
  }

  get #open(): number {
    return this.#total - this.#done - this.#failed - this.#unclear.size;
  }

  /** Requests. */
  get #left(): number {
    const customers = this.#newCustomers - this.#customersMade;
    const drafts = Math.max(0, this.#open - this.#drafted);
    return customers * CUSTOMER + drafts * DRAFT + this.#open * this.#finish;
  }

  /** Requests in a second, lately; undefined while that is not known. */
  #pace(now: number): number | undefined {
    this.#measured = this.#measured.filter(({at}) => now - at <= MEASURED);
    this.#measured.push({at: now, left: this.#left});
    const {at, left} = this.#measured[0]!;
    return now - at >= LEAST_MEASURED && left > this.#left ? ((left - this.#left) * 1000) / (now - at) : undefined;
  }

  /** @param brief leaves out the total amount */
  #words(now: number, brief = false): string[] {
    return [
      this.#counted(),
      ...(this.#failed > 0 ? [`${count(this.#failed)} failed`] : []),
      ...(this.#unclear.size > 0 ? [`${count(this.#unclear.size)} in doubt`] : []),
      ...this.#timing(now, brief),
    ];
  }

  #counted(): string {
    if (this.#customersMade < this.#newCustomers && this.#drafted + this.#done === 0)
      return `${count(this.#customersMade)} of ${count(this.#newCustomers)} customers created`;
    return this.#finish > 0 && this.#drafted < this.#open
      ? `${count(this.#drafted + this.#done)} of ${count(this.#total)} drafts made`
      : `${count(this.#done)} of ${count(this.#total)} ${this.#verb}`;
  }

  /** How long it will take, or what it waits for. */
  #timing(now: number, brief: boolean): string[] {
    const silent = this.#silentSince === undefined ? 0 : now - this.#silentSince;
    if (this.#context.signal.aborted) return ['stopping'];
    if (silent >= SILENCE) {
      this.#measured = [];
      return [`no response for ${durationWords(silent / 1000)}`];
    }
    const pace = this.#pace(now);
    const amount = `${formatPesos(this.#doneAmount)}${brief ? '' : ` of ${formatPesos(this.#amount)}`}`;
    return [
      ...(pace === undefined ? [] : [`${durationWords(this.#left / pace)} left`]),
      ...(this.#done > 0 ? [amount] : []),
      ...(pace === undefined ? [] : [rateWords(pace / (DRAFT + this.#finish))]),
    ];
  }

  /** A bar, and as many of the words as fit beside it. */
  #line(width: number, now: number): string {
    const {io} = this.#context;
    const room = width < NARROW ? NARROWEST_BAR : Math.min(WIDEST_BAR, Math.floor(width / 4));
    const brief = this.#words(now, true);
    const forms = [this.#words(now), ...brief.map((_, dropped) => brief.slice(0, brief.length - dropped))];
    const texts = forms.map((words) => words.join(' · '));
    const text = texts.find((each) => each.length + 2 + room <= width) ?? texts.at(-1)!;
    const all = this.#newCustomers * CUSTOMER + this.#total * (DRAFT + this.#finish);
    const drawn = bar(all - this.#left, all, room, io);
    return `${drawn.padEnd(room, io.utf8 ? '░' : '-')}  ${text}`;
  }
}

/** `9.4/s`, or `24/min` of what takes more than a second each. */
const rateWords = (perSecond: number): string =>
  perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${Math.ceil(perSecond * 60)}/min`;

const count = (number: number): string => number.toLocaleString('en');

/** `43 s`, `2 min`, `1 h 5 min`. */
export function durationWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
