// How far an import is: a bar at a terminal, a line every ten seconds elsewhere, a record for each row in JSON.

import type {JobFile} from '../../billing/import/job-file.js';
import type {Row} from '../../billing/import/job-types.js';
import type {RowNews} from '../../billing/import/run.js';
import type {Context} from '../../context.js';
import {clean, toJson} from '../../output/format.js';
import {formatPesos} from '../../pesos.js';

/** Milliseconds between two lines where there is no terminal, and between two pictures where there is. */
const LINE_INTERVAL = 10_000;
const PICTURE_INTERVAL = 100;
const WIDEST_BAR = 40;
const EIGHTHS = ' ▏▎▍▌▋▊▉';

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
  readonly #startedWith: number;
  readonly #inJson: boolean;
  #done: number;
  #doneAmount: number;
  #failed: number;
  #unclear = 0;
  #lastShown = 0;
  #writing: Promise<void> = Promise.resolve();

  /** @param inJson whether each row is printed as a line of JSON as it ends */
  constructor(context: Pick<Context, 'io' | 'nowMilliseconds'>, job: JobFile, inJson: boolean) {
    const {statements, amount, done, doneAmount, failed} = job.tally;
    this.#context = context;
    this.#total = statements;
    this.#amount = amount;
    this.#done = done;
    this.#doneAmount = doneAmount;
    this.#failed = failed;
    this.#startedWith = done;
    this.#startedAt = context.nowMilliseconds();
    this.#inJson = inJson;
    this.#lastShown = this.#startedAt;
  }

  tell({row, phase, error}: RowNews): void {
    if (phase === 'done') {
      this.#done++;
      this.#doneAmount += row.amount;
    } else if (phase === 'failed') this.#failed++;
    else if (row.sent === 'unknown') this.#unclear++;
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

  #words(now: number): string[] {
    const seconds = (now - this.#startedAt) / 1000;
    const rate = seconds > 0 ? (this.#done - this.#startedWith) / seconds : 0;
    const left = this.#total - this.#done - this.#failed - this.#unclear;
    return [
      `${this.#done.toLocaleString('en')} of ${this.#total.toLocaleString('en')} done`,
      ...(this.#failed > 0 ? [`${this.#failed.toLocaleString('en')} failed`] : []),
      ...(this.#unclear > 0 ? [`${this.#unclear.toLocaleString('en')} in doubt`] : []),
      ...(rate > 0 ? [`${rate.toFixed(1)}/s`, `${durationWords(left / rate)} left`] : []),
      `${formatPesos(this.#doneAmount)} of ${formatPesos(this.#amount)}`,
    ];
  }

  /** As many of the words as fit, and a bar in what is left. */
  #line(width: number, now: number): string {
    const words = this.#words(now);
    while (words.length > 1 && words.join(' · ').length > width) words.pop();
    const text = words.join(' · ');
    const room = Math.min(WIDEST_BAR, width - text.length - 2);
    if (room < 8) return text;
    const eighths = Math.round(((this.#done + this.#failed) / Math.max(1, this.#total)) * room * 8);
    const bar = '█'.repeat(Math.floor(eighths / 8)) + EIGHTHS.charAt(eighths % 8).trim();
    return `${bar.padEnd(room, '░')}  ${text}`;
  }
}

/** `43 s`, `2 min`, `1 h 5 min`. */
export function durationWords(seconds: number): string {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
