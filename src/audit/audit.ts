// AUDIT: what was changed from this machine, in a file to which one line of JSON is added for each beginning, step and end.

import type {CentavoError} from '../errors.js';
import {append, linesFromEnd} from '../storage/line-file.js';
import {localError} from '../system-errors.js';
import {
  begunLine,
  endedLine,
  fileLine,
  readEntries,
  stepLine,
  type AuditedEnd,
  type AuditedWrite,
  type Begun,
  type Ended,
  type Stepped,
  type Subject,
} from './entries.js';

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
  /** Why it was done, where a person said so. */
  readonly reason: string | null;
  /** `ok`, the code of an error, or `unfinished` where no end was recorded: the process was killed. */
  readonly result: string;
  readonly exit_code: number | null;
  readonly applied: string | null;
  /** The last step that was begun, for a write of several steps: `send`, then `sent` or `not_sent`; null for other writes. */
  readonly step: string | null;
  /** Unix seconds at which that step was about to be taken. */
  readonly step_at: number | null;
  /** Every step that was begun, in order. */
  readonly steps: readonly AuditedStep[];
  /** Unix seconds at which it ended; null where no end was recorded. */
  readonly ended_at: number | null;
  /** The number of the one statement that it is about, and the name of its customer, as far as they were seen. */
  readonly number: string | null;
  readonly customer: string | null;
}

/** The beginning of a step of a write. */
export interface AuditedStep {
  readonly step: string;
  /** Unix seconds. */
  readonly at: number;
  readonly ids: readonly string[];
}

export interface AuditOptions {
  /** Unix seconds. */
  readonly now: () => number;
  /** Names one write, so that its end finds its beginning. */
  readonly token: () => string;
}

/** A write that was begun and whose end is not recorded yet. */
interface Unended {
  readonly id: string;
  readonly touched: Set<string>;
  unchanged: boolean;
  subject: Subject;
}

export class Audit {
  /** The file. It is made, with its folder, at the first write. */
  readonly path: string;
  readonly #options: AuditOptions;
  #unended: Unended[] = [];
  /** Bytes of the file after what this process wrote last. */
  #end = 0;
  #othersWrote = true;

  constructor(path: string, options: AuditOptions) {
    this.path = path;
    this.#options = options;
  }

  /**
   * Records that a write is about to be sent; it is on the disk when this returns.
   * @throws CentavoError kind `local_io` when it cannot be recorded: then nothing may be sent
   */
  begin(write: AuditedWrite): void {
    const {now, token} = this.#options;
    const id = token();
    try {
      this.#append(begunLine(id, now(), write));
    } catch (error) {
      throw notRecorded('nothing was sent: the change', this.path, error);
    }
    this.#unended.push({id, touched: new Set(), unchanged: false, subject: {}});
  }

  /** Notes an object that the last write made or found, for the record of its end. */
  touched(id: string): void {
    this.#unended.at(-1)?.touched.add(id);
  }

  /** Notes the statement that the last write is about, for the record of its end; what is known of it already stays where this lacks it. */
  about(subject: Subject): void {
    const last = this.#unended.at(-1);
    if (last) last.subject = {...last.subject, ...subject};
  }

  /**
   * Records that the write begun last is about to take one of its steps, and on which objects; it is on the disk when this
   * returns. Without a write begun it does nothing.
   * @param durable false for what came of a step: a power cut may lose it until the next step is recorded
   * @throws CentavoError kind `local_io` when it cannot be recorded: then the step may not be taken
   */
  step(name: string, ids: readonly string[], {durable = true} = {}): void {
    const last = this.#unended.at(-1);
    if (!last) return;
    for (const id of ids) last.touched.add(id);
    try {
      this.#append(stepLine(last.id, this.#options.now(), name, ids), {durable});
    } catch (error) {
      throw notRecorded('the next step', this.path, error);
    }
  }

  #append(lines: string, options?: {readonly durable: boolean}): void {
    const {before, after} = append(this.path, lines, options);
    if (before !== this.#end) this.#othersWrote = true;
    this.#end = after;
  }

  /** Whether other processes have recorded anything since this was asked last, as far as is known by the last own record. */
  othersWrote(): boolean {
    const wrote = this.#othersWrote;
    this.#othersWrote = false;
    return wrote;
  }

  /** Whether there are writes whose end is not recorded yet, and whether all of them had nothing to change. */
  get open(): 'changing' | 'none' | 'unchanged' {
    if (this.#unended.length === 0) return 'none';
    return this.#unended.every(({unchanged}) => unchanged) ? 'unchanged' : 'changing';
  }

  /** Notes that the last write had nothing to change, so that its success does not count as a change. */
  unchanged(): void {
    const last = this.#unended.at(-1);
    if (last) last.unchanged = true;
  }

  /** Records how the writes of this process ended. Never throws, because the change has been made. @returns whether it could be recorded */
  end(outcome: AuditedEnd): boolean {
    const ending = this.#unended;
    this.#unended = [];
    if (ending.length === 0) return true;
    const {now} = this.#options;
    const lines = ending.map((each) =>
      endedLine(each.id, now(), endOf(each, outcome), [...each.touched], each.subject),
    );
    try {
      this.#append(lines.join(''));
      return true;
    } catch {
      return false;
    }
  }

  /** Records what is about to be in a file that the user named. Never throws: the file is worth more than its record. @returns whether it could be recorded */
  writes(path: string, sha256: string): boolean {
    try {
      this.#append(fileLine(this.#options.now(), path, sha256));
      return true;
    } catch {
      return false;
    }
  }

  /** The SHA-256 of all that was to be in a file, newest first: a process may have been killed before it was. @throws CentavoError kind `local_io` */
  *written(path: string): Generator<string> {
    try {
      for (const line of linesFromEnd(this.path))
        if (line.includes('"type":"file"'))
          for (const entry of readEntries(line).reverse())
            if (entry?.type === 'file' && entry.path === path) yield entry.sha256;
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }

  /**
   * Every write, newest first. They are read as they are asked for, so that a long file takes no more memory than a short one.
   * A torn last line is left out.
   * @param tellUnreadable is told at the end how many lines before it could not be read, when there are any
   * @throws CentavoError kind `local_io`
   */
  records(tellUnreadable?: (lines: number) => void): Generator<AuditRecord> {
    return this.#read(new Set(), tellUnreadable);
  }

  /** The same without the writes that this process has begun and not ended. @throws CentavoError kind `local_io` */
  others(): Generator<AuditRecord> {
    return this.#read(new Set(this.#unended.map(({id}) => id)));
  }

  *#read(except: ReadonlySet<string>, tellUnreadable?: (lines: number) => void): Generator<AuditRecord> {
    try {
      yield* readRecords(this.path, except, tellUnreadable);
    } catch (error) {
      throw unreadable(this.path, error);
    }
  }
}

const endOf = ({unchanged}: Unended, outcome: AuditedEnd): AuditedEnd =>
  unchanged && outcome.applied === 'yes' ? {...outcome, applied: 'no'} : outcome;

const notRecorded = (what: string, path: string, cause: unknown): CentavoError =>
  localError(`${what} could not be recorded in ${path}.`, cause, {
    code: 'not_recorded',
    hint: 'centavo records every change before making it. To record it in another folder, set CENTAVO_DATA_DIR.',
  });

const unreadable = (path: string, cause: unknown): CentavoError =>
  localError(`the history ${path} cannot be read.`, cause, {applied: undefined});

/** An entry that was written again after a failure may be there twice, with at most this many writes of other processes between. */
const LONGEST_REPETITION = 32;

/** @param except writes that are left out */
function* readRecords(
  path: string,
  except: ReadonlySet<string>,
  tellUnreadable?: (lines: number) => void,
): Generator<AuditRecord> {
  // What was read of writes whose beginning, which is further up in the file, was not.
  const ended = new Map<string, Ended>();
  const steps = new Map<string, Stepped[]>();
  const begun: string[] = [];
  let unreadable = 0;
  for (const line of linesFromEnd(path)) {
    for (const entry of readEntries(line).reverse()) {
      if (entry === undefined) {
        unreadable++;
      } else if (entry.type === 'ended') {
        // The last one counts.
        if (!ended.has(entry.id)) ended.set(entry.id, entry);
      } else if (entry.type === 'step') {
        const later = steps.get(entry.id);
        if (later) later.push(entry);
        else steps.set(entry.id, [entry]);
      } else if (entry.type === 'begun' && !begun.includes(entry.id)) {
        if (!except.has(entry.id)) yield recordOf(entry, ended.get(entry.id), steps.get(entry.id)?.reverse());
        ended.delete(entry.id);
        steps.delete(entry.id);
        if (begun.push(entry.id) > LONGEST_REPETITION) begun.shift();
      }
    }
  }
  if (unreadable > 0) tellUnreadable?.(unreadable);
}

const recordOf = (
  {at, profile, mode, command, ids, number, customer, amount, reason}: Begun,
  end: Ended | undefined,
  steps: readonly Stepped[] = [],
): AuditRecord => ({
  at,
  profile,
  mode,
  command,
  ids: [...new Set([...ids, ...steps.flatMap((step) => step.ids), ...(end?.ids ?? [])])],
  amount: amount ?? end?.amount ?? null,
  reason,
  result: end?.result ?? 'unfinished',
  exit_code: end?.exitCode ?? null,
  applied: end?.applied ?? null,
  step: steps.at(-1)?.step ?? null,
  step_at: steps.at(-1)?.at ?? null,
  steps: steps.map(({step, at: begunAt, ids: named}) => ({step, at: begunAt, ids: named})),
  ended_at: end?.at ?? null,
  number: end?.number ?? number,
  customer: end?.customer ?? customer,
});
