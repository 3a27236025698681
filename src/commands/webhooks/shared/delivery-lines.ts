// Formats the output of `webhooks listen`: lines for a terminal, JSON records for scripts.

import {timeOfDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {boundedLine, oneLineText, toJson, wrapText} from '../../../output/format.js';
import type {OutputStreams, SecretDisplay, Style} from '../../../output/streams.js';
import type {HeldEvent} from '../../../webhooks/forward/target-queue.js';
import type {ListenRecord, ListenSummary} from '../../../webhooks/listen/listen-record.js';
import type {Delivery, EventFacts, ForwardAttempt, WaitingDelivery} from '../../../webhooks/receive/delivery.js';
import type {Verdict} from '../../../webhooks/signature/signature.js';

/** Returns why a delivery is not genuine. @param now unix seconds */
export type ExplainReason = (verdict: Extract<Verdict, {genuine: false}>, now: number) => string;

/** Characters of a shortened id, as in a narrow table. */
const SHORT_LENGTH = 12;

export const cutId = (id: string): string => (id.length > SHORT_LENGTH ? `${id.slice(0, SHORT_LENGTH)}…` : id);

export const verdictText = ({verdict}: Delivery): string =>
  verdict.genuine ? 'genuine' : `NOT GENUINE (${verdict.reason})`;

const eventAmountOf = ({amount}: EventFacts) => (amount === undefined ? undefined : formatPesos(amount));

const NO_ROUTE = 'matches no route';

const objectOf = ({id, objectId}: EventFacts): string | undefined => (objectId === id ? undefined : objectId);

/** `14:22:07 --> billing_statement.paid evt_… ₱1,250.50 bstm_… genuine` */
export function deliveryLine(delivery: Delivery, unrouted = false): string {
  const {event, duplicateOf} = delivery;
  const {type = 'unreadable', id} = event;
  const verdict = verdictText(delivery) + (unrouted ? `, ${NO_ROUTE}` : '');
  const words = [type, id, eventAmountOf(event), objectOf(event), verdict, duplicateOf && 'again'];
  return oneLineText(`${timeOfDay(delivery.receivedAt)} --> ${words.filter(Boolean).join(' ')}`);
}

const MARKS: Record<string, string> = {'-->': 'received', '<--': 'answered', '<->': 'request', '---': 'note:'};

/** Replaces the mark of a line with a word, for screen readers. */
export const spellOutMark = (line: string, {spoken}: Pick<OutputStreams, 'spoken'>): string =>
  spoken ? line.replace(/-->|<--|<->|---/, (mark) => MARKS[mark]!) : line;

export const wasAccepted = ({status}: ForwardAttempt): boolean => status !== undefined && status < 300;

/**
 * `14:22:07 <-- 200 billing_statement.paid ₱1,250.50 bstm_… POST :3000/hook 12 ms`
 * @param event omitted if already printed @param width if too narrow, the id is shortened, or the amount omitted
 */
export function attemptLine(
  {startedAt, durationMs, status, error, target, attempt, replay}: ForwardAttempt,
  event: EventFacts = {},
  width = Infinity,
): string {
  const notes = [attempt > 1 && `attempt ${attempt}`, replay && 'replay'].filter(Boolean).join(', ');
  const where = target.replace(/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(?=:)/, '');
  const [amount, object] = [eventAmountOf(event), objectOf(event)];
  const short = object && cutId(object);
  const forms = [[amount, object, 'POST'], [amount, short, 'POST'], [short, 'POST'], [short]].map((words) => {
    const answer = [status ?? error ?? 'no response', event.type, ...words, where, `${Math.round(durationMs)} ms`];
    const line = `${timeOfDay(startedAt + durationMs)} <-- ${answer.filter(Boolean).join(' ')}`;
    return oneLineText(`${line}${notes ? ` (${notes})` : ''}`);
  });
  return forms.find(({length}) => length <= width) ?? forms.at(-1)!;
}

export const refusalLines = ({excerpt, likelyCause}: ForwardAttempt): string[] =>
  [excerpt, likelyCause].flatMap((line) => (line === undefined ? [] : [oneLineText(line)]));

/** Returns a function that omits a likely cause if the last record for the app had the same cause. */
export function omitRepeatedCauses(): (record: ListenRecord) => ListenRecord {
  const lastCauses = new Map<string, string | undefined>();
  return (record) => {
    if (record.type !== 'forward') return record;
    const {target, likelyCause} = record.attempt;
    const isRepeated = lastCauses.get(target) === likelyCause;
    lastCauses.set(target, likelyCause);
    return isRepeated ? {...record, attempt: {...record.attempt, likelyCause: undefined}} : record;
  };
}

/** `500 “TypeError: …”. Your app failed: see its log.` */
export function formatRefusal({status, error, excerpt, likelyCause}: ForwardAttempt): string {
  const answer = `${status ?? error ?? 'no response'}${excerpt === undefined ? '' : ` “${excerpt}”`}`;
  return [answer, likelyCause].filter(Boolean).join('. ');
}

/** `held: waits for billing_statement.paid evt_…, which will be retried at 14:22:21` */
export function formatWaiting({heldBy, nextAttemptAt}: WaitingDelivery): string {
  const later =
    nextAttemptAt === undefined
      ? 'when webhooks listen forwards there'
      : nextAttemptAt && `at ${timeOfDay(nextAttemptAt)}`;
  const time = later ? `will be retried ${later}` : 'is being tried now';
  if (!heldBy) return time;
  const {type = 'an earlier event', id} = heldBy.event;
  return `held: waits for ${[type, id].filter(Boolean).join(' ')}, which ${time}`;
}

/** Delivery and last attempt in one line. Verdict and response come early, because the end may be cut off. */
export function itemLine(
  delivery: Delivery,
  {attempt, held, unrouted}: {attempt?: ForwardAttempt; held?: HeldEvent; unrouted?: boolean},
): string {
  const {type = 'unreadable', objectId} = delivery.event;
  const verdict = delivery.duplicateOf ? `${verdictText(delivery)}, again` : verdictText(delivery);
  const answer = held
    ? `→ held behind ${held.heldBy.event.type ?? held.heldBy.deliveryId}`
    : !attempt
      ? unrouted && `→ ${NO_ROUTE}`
      : `→ ${attempt.status ?? attempt.error ?? 'no response'} in ${Math.round(attempt.durationMs)} ms${attempt.attempt > 1 ? ` (attempt ${attempt.attempt})` : ''}`;
  const words = [timeOfDay(delivery.receivedAt), type, eventAmountOf(delivery.event), verdict, answer, objectId];
  return oneLineText(words.filter(Boolean).join('  '));
}

const eventName = ({type = 'unreadable', id}: EventFacts): string => [type, id].filter(Boolean).join(' ');

/** Returns a record as lines, or undefined if the record is not printed. @param at milliseconds since the epoch */
export function recordLine(
  record: ListenRecord,
  at: number,
  explain: ExplainReason,
  width?: number,
): {text: string; below?: readonly string[]; style?: Style} | undefined {
  const note = (words: string, style: Style) => ({text: oneLineText(`${timeOfDay(at)} --- ${words}`), style});
  switch (record.type) {
    case 'delivery': {
      const {verdict} = record.delivery;
      const text = deliveryLine(record.delivery, record.unrouted);
      return verdict.genuine
        ? {text, ...(record.unrouted && {style: 'yellow'})}
        : {text: `${text}: ${explain(verdict, Math.floor(at / 1000))}`, style: 'red'};
    }
    case 'forward':
      return {
        text: attemptLine(record.attempt, record.event, width),
        below: refusalLines(record.attempt),
        style: wasAccepted(record.attempt) ? 'green' : 'red',
      };
    case 'held':
      return note(`${eventName(record.held.event)} ${formatWaiting(record.held)}`, 'yellow');
    case 'refused':
      return note(`refused: ${record.reason}${record.status === null ? '' : ` (${record.status})`}`, 'yellow');
    case 'disconnected':
      return note(record.message, 'red');
    case 'notice':
      return note(record.message, 'yellow');
    case 'reconnected':
      return note(`${record.message}${record.secret ? `; secret: ${record.secret}` : ''}`, 'green');
    default:
      return undefined;
  }
}

/** Fields common to all records. @param at milliseconds since the epoch */
export const recordHead = (type: string, at: number) => ({v: 1, ts: new Date(at).toISOString(), type});

/** @param at milliseconds since the epoch */
export function recordJson(record: ListenRecord, at: number): object {
  const head = recordHead(record.type, at);
  switch (record.type) {
    case 'delivery': {
      const {id, ...delivery} = deliveryJson(record.delivery);
      return {...head, delivery_id: id, ...delivery, unrouted: record.unrouted ?? false};
    }
    case 'forward':
      return {...head, ...deliveryRef(record.attempt.deliveryId, record.event), ...attemptJson(record.attempt)};
    case 'held': {
      const {deliveryId, event, target, heldBy, nextAttemptAt} = record.held;
      const held = {target, held_by: heldBy.deliveryId, next_attempt_at: Math.floor(nextAttemptAt / 1000)};
      return {...head, ...deliveryRef(deliveryId, event), ...held};
    }
    default:
      return {...head, ...record};
  }
}

const deliveryRef = (delivery_id: string, {id, type, objectId}: EventFacts) => ({
  delivery_id,
  event_id: id ?? null,
  event_type: type ?? null,
  object_id: objectId ?? null,
});

export const deliveryJson = ({id, event, verdict, headers, body, path, duplicateOf}: Delivery) => ({
  id,
  event_id: event.id ?? null,
  event_type: event.type ?? null,
  verdict: verdict.genuine ? 'genuine' : verdict.reason,
  duplicate_of: duplicateOf ?? null,
  path,
  headers,
  body_base64: Buffer.from(body).toString('base64'),
});

export const attemptJson = (one: ForwardAttempt) => ({
  target: one.target,
  attempt: one.attempt,
  status: one.status ?? null,
  error: one.error ?? null,
  duration_ms: Math.round(one.durationMs),
  replay: one.replay ?? false,
  response: one.response ?? null,
  likely_cause: one.likelyCause ?? null,
});

export function readyLines(record: Extract<ListenRecord, {type: 'ready'}>): string[] {
  const passing = record.secret_source === 'registered' && 'ends with this run; to see it: --print-secret';
  return [
    `Ready. Receiving ${record.mode === 'live' ? 'LIVE' : 'test'} events at ${record.public_url}`,
    ...(record.targets.length > 0 ? [`Forwarding to ${record.targets.join(', ')}`] : []),
    ...[record.secret ?? record.secret_command ?? passing].flatMap((secret) => (secret ? [`Secret: ${secret}`] : [])),
  ];
}

/** Returns the counts of events, then of attempts to forward. */
export function summaryLine(summary: ListenSummary): string {
  const received = `Deliveries: ${summary.genuine} genuine, ${summary.not_genuine} not genuine, ${summary.refused} refused, ${summary.filtered} filtered out${summary.unrouted === 0 ? '' : `, ${summary.unrouted} matched no route`}.`;
  const events = summary.events_accepted + summary.events_not_accepted;
  const attempts = summary.forwarded + summary.forward_failures;
  if (events === 0) return received;
  const waiting = summary.events_waiting;
  const waits = waiting > 0 ? ` ${waiting === 1 ? '1 event waits' : `${waiting} events wait`} for the next run.` : '';
  return `${received} Your app accepted ${summary.events_accepted} of ${events === 1 ? '1 event' : `${events} events`}, in ${attempts === 1 ? '1 attempt' : `${attempts} attempts`}.${waits}`;
}

const INDENT = 9;

/** Prints notes wrapped to the terminal at spaces only, so that URLs stay whole. */
export function printNoteLines(lines: readonly string[], io: OutputStreams, showing?: SecretDisplay): void {
  for (const line of lines.flatMap((each) => wrapText(each, io.sentenceWidth))) io.note(line, showing);
}

/** Prints a record: events on stdout, notes about the listener on stderr. @param options `at` in milliseconds */
export async function printRecord(
  record: ListenRecord,
  io: OutputStreams,
  {machine, at, explain}: {machine: boolean; at: number; explain: ExplainReason},
): Promise<void> {
  // A record has a secret only with --print-secret.
  const secret = 'secret' in record ? record.secret : undefined;
  const showing = {showing: secret ? [secret] : []};
  if (machine) {
    const shown = {...io.hide(recordJson(record, at)), ...(secret && {secret})};
    return io.out(`${toJson(shown)}\n`, showing);
  }
  if (record.type === 'ready') printNoteLines(readyLines(record), io, showing);
  else if (record.type === 'summary') printNoteLines([summaryLine(record)], io);
  else {
    const line = recordLine(record, at, explain, io.sentenceWidth);
    if (!line) return;
    // Redact before wrapping: a secret split over two lines would not be recognized.
    const [safe, ...below] = [spellOutMark(line.text, io), ...(line.below ?? [])].map((each) =>
      boundedLine(io.redact(each, showing)),
    );
    const width = io.sentenceWidth;
    const lines = [...wrapText(safe!, width, 0, INDENT), ...below.flatMap((each) => wrapText(each, width, INDENT))];
    const text = lines.join('\n');
    await io.out(`${line.style ? io.paint(line.style, text) : text}\n`, showing);
  }
}
