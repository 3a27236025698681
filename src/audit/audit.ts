// What was changed from this machine: one JSON line for each beginning, step and end. No secret is written.

import type {Applied} from '../ground/errors.js';
import {localError} from '../ground/system-errors.js';
import {append, linesFromEnd} from '../storage/line-file.js';

/** The statement that a write is about, as far as it was seen. */
export interface Subject {
  /** `JEEPNEY-0002` */
  readonly number?: string;
  /** The name of its customer. */
  readonly customer?: string;
  /** Centavos. */
  readonly amount?: number;
}

/** Never holds a secret. */
export interface AuditedWrite extends Subject {
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** `billing-statements finalize`; never its arguments. */
  readonly command: string;
  readonly ids: readonly string[];
  /** In the words of the person who asked for it. */
  readonly reason?: string;
}

export interface AuditedEnd {
  /** `ok`, or the code of an error: `outcome_unknown`. */
  readonly result: string;
  readonly exitCode: number;
  readonly applied: Applied;
}

/** What was not written is read as null. */
type Seen = {readonly [Part in keyof Subject]-?: NonNullable<Subject[Part]> | null};

interface Begun extends Required<Omit<AuditedWrite, keyof Subject | 'mode' | 'reason'>>, Seen {
  readonly type: 'begun';
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
  readonly mode: string;
  readonly reason: string | null;
}

interface Ended extends Seen {
  readonly type: 'ended';
  readonly id: string;
  /** Unix seconds. */
  readonly at: number | null;
  readonly result: string;
  readonly exitCode: number | null;
  readonly applied: string | null;
  readonly ids: readonly string[];
}

interface Stepped extends AuditedStep {
  readonly type: 'step';
  readonly id: string;
}

/** A file that the user named. Its path is absolute, without links. */
type Written = Readonly<Record<'path' | 'sha256', string>> & {readonly type: 'file'};

type Entry = Begun | Ended | Stepped | Written;

/** One write as `centavo history` shows it. */
export interface AuditRecord {
  /** Unix seconds at which it began. */
  readonly at: number;
  readonly profile: string;
  readonly mode: string;
  readonly command: string;
  /** Those that the command named, then those that it made. */
  readonly ids: readonly string[];
  /** Centavos. */
  readonly amount: number | null;
  /** Why it was done, if somebody said so. */
  readonly reason: string | null;
  /** `ok`, the code of an error, or `unfinished` without a recorded end: the process was killed. */
  readonly result: string;
  readonly exit_code: number | null;
  readonly applied: string | null;
  /** The last step begun of several: `send`, then `sent` or `not_sent`; null for a write of one step. */
  readonly step: string | null;
  /** Unix seconds. */
  readonly step_at: number | null;
  readonly steps: readonly AuditedStep[];
  /** Unix seconds; null where no end was recorded. */
  readonly ended_at: number | null;
  /** The number of the one statement that it is about, and the name of its customer, if they were seen. */
  readonly number: string | null;
  readonly customer: string | null;
}

export interface AuditedStep {
  readonly step: string;
  /** Unix seconds. */
  readonly at: number;
  readonly ids: readonly string[];
}

export interface AuditOptions {
  /** Unix seconds. */
  readonly now: () => number;
  /** Identifies a write, so that its end finds its beginning. */
  readonly token: () => string;
}

/** A write whose end is not recorded yet. */
interface Unended {
  readonly id: string;
  readonly touched: Set<string>;
  unchanged: boolean;
  subject: Subject;
}

export class Audit {
  /** Made, with its folder, at the first write. */
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

  /** Records a write before it is sent; it is then on the disk. If this throws, nothing may be sent. */
  begin(write: AuditedWrite): void {
    const {now, token} = this.#options;
    const id = token();
    this.#require('nothing was sent: the change', begunLine(id, now(), write));
    this.#unended.push({id, touched: new Set(), unchanged: false, subject: {}});
  }

  /** Notes an object that the last write made or found, for its end. */
  touched(id: string): void {
    this.#unended.at(-1)?.touched.add(id);
  }

  /** Notes the statement that the last write is about, for its end. Keeps what was known of it. */
  about(subject: Subject): void {
    const last = this.#unended.at(-1);
    if (last) last.subject = {...last.subject, ...subject};
  }

  /**
   * Records a step of the last write before it is taken; it is then on the disk. If this throws, it may not be taken.
   * @param durable false for the result of a step: a power cut may lose it until the next step is recorded
   */
  step(name: string, ids: readonly string[], {durable = true} = {}): void {
    const last = this.#unended.at(-1);
    if (!last) return;
    for (const id of ids) last.touched.add(id);
    this.#require('the next step', stepLine(last.id, this.#options.now(), name, ids), {durable});
  }

  #require(what: string, lines: string, options?: {readonly durable: boolean}): void {
    try {
      this.#append(lines, options);
    } catch (error) {
      throw localError(`${what} could not be recorded in ${this.path}.`, error, {
        code: 'not_recorded',
        hint: 'centavo records every change before making it. To record it in another folder, set CENTAVO_DATA_DIR.',
      });
    }
  }

  #attempt(lines: string): boolean {
    try {
      this.#append(lines);
      return true;
    } catch {
      return false;
    }
  }

  #append(lines: string, options?: {readonly durable: boolean}): void {
    const {before, after} = append(this.path, lines, options);
    if (before !== this.#end) this.#othersWrote = true;
    this.#end = after;
  }

  /** Whether other processes wrote to the file between our records since the last call. */
  othersWrote(): boolean {
    const wrote = this.#othersWrote;
    this.#othersWrote = false;
    return wrote;
  }

  /** The state of the writes whose end is not recorded yet; `unchanged` when none of them had anything to change. */
  get open(): 'changing' | 'none' | 'unchanged' {
    if (this.#unended.length === 0) return 'none';
    return this.#unended.every(({unchanged}) => unchanged) ? 'unchanged' : 'changing';
  }

  /** Notes that the last write had nothing to change, so that success does not count as a change. */
  unchanged(): void {
    const last = this.#unended.at(-1);
    if (last) last.unchanged = true;
  }

  /** Records the end of the writes. Never throws: the change has been made. @returns whether it was recorded */
  end(outcome: AuditedEnd): boolean {
    const ending = this.#unended;
    this.#unended = [];
    if (ending.length === 0) return true;
    const {now} = this.#options;
    const lines = ending.map((each) =>
      endedLine(each.id, now(), endOf(each, outcome), [...each.touched], each.subject),
    );
    return this.#attempt(lines.join(''));
  }

  /** Records what a file will hold. Never throws: the file matters more. @returns whether it was recorded */
  writes(path: string, sha256: string): boolean {
    return this.#attempt(fileLine(this.#options.now(), path, sha256));
  }

  /** The SHA-256 of everything recorded for a file, newest first. A killed process may not have written it. */
  *written(path: string): Generator<string> {
    for (const line of this.#lines())
      if (line.includes('"type":"file"'))
        for (const entry of readEntries(line).reverse())
          if (entry?.type === 'file' && entry.path === path) yield entry.sha256;
  }

  /**
   * Newest first, read when asked for, so that a long file takes no more memory. A torn last line is skipped.
   * @param tellUnreadable is called at the end with the number of other lines that could not be read, if any
   */
  records(tellUnreadable?: (lines: number) => void): Generator<AuditRecord> {
    return readRecords(this.#lines(), new Set(), tellUnreadable);
  }

  /** Without the writes that this process has begun and not ended. */
  others(): Generator<AuditRecord> {
    return readRecords(this.#lines(), new Set(this.#unended.map(({id}) => id)));
  }

  *#lines(): Generator<string> {
    try {
      yield* linesFromEnd(this.path);
    } catch (error) {
      throw localError(`the history ${this.path} cannot be read.`, error, {applied: undefined});
    }
  }
}

const endOf = ({unchanged}: Unended, outcome: AuditedEnd): AuditedEnd =>
  unchanged && outcome.applied === 'yes' ? {...outcome, applied: 'no'} : outcome;

/** An entry that was repeated after a failure may be there twice, with at most this many other writes between. */
const LONGEST_REPETITION = 32;

function* readRecords(
  lines: Iterable<string>,
  except: ReadonlySet<string>,
  tellUnreadable?: (lines: number) => void,
): Generator<AuditRecord> {
  // Entries of writes whose beginning, further up in the file, was not read yet.
  const ended = new Map<string, Ended>();
  const steps = new Map<string, Stepped[]>();
  const begun: string[] = [];
  let unreadable = 0;
  for (const text of lines) {
    for (const entry of readEntries(text).reverse()) {
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

const ID = /^[a-z]+(_[a-z]+)*_[A-Za-z0-9]+$/;
const SECRET = /[sp]k_(live|test)_|(?<![a-z])[sp]k_|whsk_|_secret_/;

const safeIds = (ids: readonly string[]): string[] => ids.filter((id) => ID.test(id) && !SECRET.test(id));
const redacted = (text: string): string => (SECRET.test(text) ? '[redacted]' : text);

/** The type stands first: see {@link readEntries}. */
const line = (type: Entry['type'], fields: object): string => `${JSON.stringify({type, ...fields})}\n`;

function begunLine(id: string, at: number, write: AuditedWrite): string {
  const {profile, mode, command, ids, reason} = write;
  const what = {profile: redacted(profile), mode, command: redacted(command)};
  const why = reason === undefined ? {} : {reason: redacted(reason)};
  return line('begun', {id, at, ...what, ids: safeIds(ids), ...subjectFields(write), ...why});
}

const subjectFields = ({number, customer, amount}: Subject): Subject => ({
  amount,
  ...(number !== undefined && {number: redacted(number)}),
  ...(customer !== undefined && {customer: redacted(customer)}),
});

/** @param ids what the write made or found @param subject as far as it is known by then */
function endedLine(
  id: string,
  at: number,
  {result, exitCode, applied}: AuditedEnd,
  ids: readonly string[],
  subject: Subject = {},
): string {
  const how = {result: redacted(result), exit_code: exitCode, applied};
  return line('ended', {id, at, ...how, ids: safeIds(ids), ...subjectFields(subject)});
}

const stepLine = (id: string, at: number, step: string, ids: readonly string[]): string =>
  line('step', {id, at, step, ids: safeIds(ids)});

const fileLine = (at: number, path: string, sha256: string): string => line('file', {at, path: redacted(path), sha256});

/**
 * Usually one; none in an empty line or for types of a later version. Behind an incomplete line another entry may
 * follow: it begins where its type does, since a quotation mark within a text is written `\"`.
 * @returns undefined for each that cannot be read
 */
function readEntries(text: string): (Entry | undefined)[] {
  if (text.trim() === '') return [];
  const whole = readEntry(text);
  if (whole !== undefined) return whole === 'other' ? [] : [whole];
  return text
    .split(/(?=\{"type":")/)
    .map(readEntry)
    .filter((entry) => entry !== 'other');
}

function readEntry(text: string): Entry | 'other' | undefined {
  const value = parse(text);
  if (typeof value?.type !== 'string') return undefined;
  const {type, id, at, command, result, step, path, sha256} = value;
  if (type === 'file') return typeof path === 'string' && typeof sha256 === 'string' ? {type, path, sha256} : undefined;
  if (type !== 'begun' && type !== 'ended' && type !== 'step') return 'other';
  if (typeof id !== 'string') return undefined;
  const ids = Array.isArray(value.ids) ? value.ids.filter((item) => typeof item === 'string') : [];
  const subject = {number: string(value.number), customer: string(value.customer), amount: integer(value.amount)};
  if (type === 'ended') {
    if (typeof result !== 'string') return undefined;
    const how = {result, exitCode: integer(value.exit_code), applied: string(value.applied)};
    return {type, id, at: integer(at), ...how, ids, ...subject};
  }
  if (type === 'step') {
    if (typeof step !== 'string' || integer(at) === null) return undefined;
    return {type, id, at: at as number, step, ids};
  }
  if (typeof command !== 'string' || integer(at) === null) return undefined;
  const [profile, mode] = [string(value.profile) ?? '', string(value.mode) ?? ''];
  return {type, id, at: at as number, profile, mode, command, ids, ...subject, reason: string(value.reason)};
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    return (JSON.parse(text) ?? undefined) as Record<string, unknown> | undefined;
  } catch {
    return undefined;
  }
}

const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const integer = (value: unknown): number | null => (Number.isSafeInteger(value) ? (value as number) : null);
