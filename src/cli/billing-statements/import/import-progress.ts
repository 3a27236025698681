// How far an import is: a bar at a terminal, a line every ten seconds elsewhere, a record for each row in JSON.

import type {JobFile} from '../../../billing/import/job-file.js';
import type {Phase, Row} from '../../../billing/import/job-types.js';
import type {RowNews} from '../../../billing/import/run.js';
import type {Context} from '../../../context.js';
import {bar} from '../../../output/tables/bars.js';
import {clean, toJson} from '../../../output/format.js';
import {formatPesos} from '../../../pesos.js';

/** Milliseconds between two lines where there is no terminal, and between two pictures where there is. */
const LINE_INTERVAL = 10_000;
const PICTURE_INTERVAL = 100;
const WIDEST_BAR = 40;
const SHORTEST_BAR = 8;

/** A row as scripts get it, and as the result file has it. */
export const recordOf = ({external_id, id, number, status, sent, amount, link, error, error_code: code}: Row) => ({
  ...{external_id, id, number, status, sent, amount, link},
  error_code: code,
  error,
});

export class ImportProgress {
  readonly #context: Pick<Context, 'io' | 'nowMilliseconds'>;
  readonly #total: number;
  readonly #amount: number;
  readonly #startedAt: number;
  readonly #inJson: boolean;
  /** Whether statements are finalized after all drafts are made. */
  readonly #inTwo: boolean;
  #drafted: number;
  #done: number;
  #doneAmount: number;
  #failed: number;
  #unclear: number;
  /** Drafts made and statements done by this run. */
  #steps = 0;
  #lastShown = 0;
  #writing: Promise<void> = Promise.resolve();

  /** @param inJson whether each row is printed as a line of JSON as it ends */
  constructor(context: Pick<Context, 'io' | 'nowMilliseconds'>, job: JobFile, inJson: boolean) {
    const {statements, amount, done, doneAmount, drafted, failed} = job.tally;
    this.#context = context;
    this.#total = statements;
    this.#amount = amount;
    this.#drafted = drafted;
    this.#done = done;
    this.#doneAmount = doneAmount;
    this.#failed = failed;
    this.#unclear = job.unclearSends().length;
    this.#inTwo = job.record.finalize;
    this.#startedAt = context.nowMilliseconds();
    this.#inJson = inJson;
    this.#lastShown = this.#startedAt;
  }

  tell({row, phase, error}: RowNews): void {
    this.#count(row, phase);
    const isOver = phase === 'done' || phase === 'failed' || row.sent === 'unknown';
    if (this.#inJson && isOver) {
      const line = `${toJson({type: 'row', ...recordOf(row)})}\n`;
      this.#writing = this.#writing.then(() => this.#context.io.out(line));
      this.#writing.catch(() => {});
    }
    if (phase === 'failed' && error)
      this.#context.io.note(clean(`line ${row.line}, ${row.external_id}: ${error.message}`));
    this.show();
  }

  #count(row: Row, phase: Phase): void {
    if (phase === 'drafted') {
      this.#drafted++;
      this.#steps++;
    } else if (phase === 'done') {
      this.#done++;
      this.#doneAmount += row.amount;
      if (this.#inTwo) this.#drafted--;
      this.#steps++;
    } else if (phase === 'failed') this.#failed++;
    else if (row.sent === 'unknown') this.#unclear++;
  }

  /** @throws CentavoError kind `local_io` for a record that could not be written */
  async end(): Promise<void> {
    this.#context.io.progress(undefined);
    await this.#writing;
  }

  show(): void {
    const {io, nowMilliseconds} = this.#context;
    const now = nowMilliseconds();
    const isDrawn = io.canDraw;
    if (now - this.#lastShown < (isDrawn ? PICTURE_INTERVAL : LINE_INTERVAL)) return;
    this.#lastShown = now;
    if (isDrawn) io.progress(this.#line(io.width - 1, now));
    else io.note(this.#words(now).join(' · '));
  }

  /** @param brief without what the rest says anyhow, where there is little room */
  #words(now: number, {brief = false, briefer = false} = {}): string[] {
    const seconds = (now - this.#startedAt) / 1000;
    const left = this.#stepsLeft();
    const each = this.#inTwo ? 2 : 1;
    const rate = seconds > 0 ? this.#steps / seconds : 0;
    const isDrafting = this.#inTwo && this.#done === 0 && this.#drafted > 0;
    const count = isDrafting ? this.#drafted : this.#done;
    const what = isDrafting ? ' drafts made' : briefer ? '' : ' done';
    return [
      `${count.toLocaleString('en')} of ${this.#total.toLocaleString('en')}${what}`,
      ...(this.#failed > 0 ? [`${this.#failed.toLocaleString('en')} failed`] : []),
      ...(this.#unclear > 0 ? [`${this.#unclear.toLocaleString('en')} in doubt`] : []),
      ...(rate > 0 ? [`${durationWords(left / rate)} left`] : []),
      ...(isDrafting ? [] : [`${formatPesos(this.#doneAmount)}${brief ? '' : ` of ${formatPesos(this.#amount)}`}`]),
      ...(rate > 0 ? [rateWords(rate / each)] : []),
    ];
  }

  /** Drafts to make, and statements to finalize and send. */
  #stepsLeft(): number {
    const open = this.#total - this.#done - this.#failed - this.#unclear;
    return this.#inTwo ? 2 * open - this.#drafted : open;
  }

  /** As many of the words as fit, and a bar in what is left. */
  #line(width: number, now: number): string {
    const {io} = this.#context;
    const briefest = this.#words(now, {brief: true, briefer: true});
    const forms = [
      this.#words(now),
      this.#words(now, {brief: true}),
      ...briefest.map((_, dropped) => briefest.slice(0, briefest.length - dropped)),
    ].map((words) => words.join(' · '));
    const text = forms.find((each) => each.length + 2 + SHORTEST_BAR <= width) ?? forms.at(-1)!;
    const room = Math.min(WIDEST_BAR, width - text.length - 2);
    if (room < SHORTEST_BAR) return text;
    const steps = Math.max(1, this.#total * (this.#inTwo ? 2 : 1));
    const drawn = bar(steps - this.#stepsLeft(), steps, room, io);
    return `${drawn.padEnd(room, io.utf8 ? '░' : '-')}  ${text}`;
  }
}

/** `9.4/s`, or `24/min` of what takes more than a second each. */
const rateWords = (perSecond: number): string =>
  perSecond >= 1 ? `${perSecond.toFixed(1)}/s` : `${Math.ceil(perSecond * 60)}/min`;

/** `43 s`, `2 min`, `1 h 5 min`. */
export function durationWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
