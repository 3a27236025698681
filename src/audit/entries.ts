// The entries of the audit file as JSON lines. Whatever could be a secret is left out.

import type {Applied} from '../errors.js';

/** The statement that a write is about, as people know it, as far as that was seen. */
export interface Subject {
  /** `JEEPNEY-0002` */
  readonly number?: string;
  /** The name of its customer. */
  readonly customer?: string;
  /** Centavos. */
  readonly amount?: number;
}

/** A write as it is about to be sent. Never holds a secret. */
export interface AuditedWrite extends Subject {
  readonly profile: string;
  readonly mode: 'live' | 'sandbox' | 'test';
  /** `billing-statements finalize`; never its arguments. */
  readonly command: string;
  /** Ids that the write names. */
  readonly ids: readonly string[];
  /** Why it is done, in the words of the person who asked for it. */
  readonly reason?: string;
}

/** How a write ended. */
export interface AuditedEnd {
  /** `ok`, or the code of the error: `outcome_unknown`. */
  readonly result: string;
  readonly exitCode: number;
  readonly applied: Applied;
}

/** A subject as it is read: what was not written is null. */
type Seen = {readonly [Part in keyof Subject]-?: NonNullable<Subject[Part]> | null};

export interface Begun extends Required<Omit<AuditedWrite, keyof Subject | 'mode' | 'reason'>>, Seen {
  readonly type: 'begun';
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
  readonly mode: string;
  readonly reason: string | null;
}

export interface Ended extends Seen {
  readonly type: 'ended';
  readonly id: string;
  /** Unix seconds. */
  readonly at: number | null;
  readonly result: string;
  readonly exitCode: number | null;
  readonly applied: string | null;
  readonly ids: readonly string[];
}

/** The beginning of a step of a write, and the objects that are known by then. */
export interface Stepped {
  readonly type: 'step';
  readonly id: string;
  /** Unix seconds. */
  readonly at: number;
  readonly step: string;
  readonly ids: readonly string[];
}

/** What was written to a file that the user named. Its path is absolute and leads through no link. */
type Written = Readonly<Record<'path' | 'sha256', string>> & {readonly type: 'file'};

type Entry = Begun | Ended | Stepped | Written;

const ID = /^[a-z]+(_[a-z]+)*_[A-Za-z0-9]+$/;
const SECRET = /[sp]k_(live|test)_|(?<![a-z])[sp]k_|whsk_|_secret_/;

const idsOf = (ids: readonly string[]): string[] => ids.filter((id) => ID.test(id) && !SECRET.test(id));
const textOf = (text: string): string => (SECRET.test(text) ? '[redacted]' : text);

/** The type stands first: see {@link readEntries}. */
const line = (type: Entry['type'], fields: object): string => `${JSON.stringify({type, ...fields})}\n`;

/** @param at unix seconds */
export function begunLine(id: string, at: number, write: AuditedWrite): string {
  const {profile, mode, command, ids, reason} = write;
  const where = {profile: textOf(profile), mode};
  const why = reason === undefined ? {} : {reason: textOf(reason)};
  return line('begun', {id, at, ...where, command: textOf(command), ids: idsOf(ids), ...subjectOf(write), ...why});
}

const subjectOf = ({number, customer, amount}: Subject): Subject => ({
  amount,
  ...(number !== undefined && {number: textOf(number)}),
  ...(customer !== undefined && {customer: textOf(customer)}),
});

/** @param at unix seconds @param ids what the write made or met @param subject what is known of it by then */
export function endedLine(
  id: string,
  at: number,
  {result, exitCode, applied}: AuditedEnd,
  ids: readonly string[],
  subject: Subject = {},
): string {
  const how = {result: textOf(result), exit_code: exitCode, applied};
  return line('ended', {id, at, ...how, ids: idsOf(ids), ...subjectOf(subject)});
}

/** @param at unix seconds */
export const stepLine = (id: string, at: number, step: string, ids: readonly string[]): string =>
  line('step', {id, at, step, ids: idsOf(ids)});

/** @param at unix seconds */
export const fileLine = (at: number, path: string, sha256: string): string =>
  line('file', {at, path: textOf(path), sha256});

/**
 * The entries of a line: one, or none in an empty line and in one of a kind that a later version adds.
 * Behind a piece that was cut short may stand what another process added: a new entry begins where its type does,
 * since a quotation mark within a text would be written `\"`.
 * @returns undefined in the place of each that cannot be read
 */
export function readEntries(text: string): (Entry | undefined)[] {
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
  const {type, id, at, command, result, step} = value;
  const {path, sha256} = value;
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
