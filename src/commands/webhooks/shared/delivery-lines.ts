// What `webhooks listen` prints: a line for people, a JSON record for scripts.

import {formatPesos} from '../../../ground/pesos.js';
import {clean, toJson} from '../../../output/format.js';
import type {Io, Style} from '../../../output/io.js';
import type {ListenRecord, Summary} from '../../../webhooks/listen/listen-record.js';
import type {Delivery, ForwardAttempt} from '../../../webhooks/receive/delivery.js';
import type {Verdict} from '../../../webhooks/signature/signature.js';

/** Says why a delivery is not genuine. @param now unix seconds */
export type ExplainReason = (verdict: Extract<Verdict, {genuine: false}>, now: number) => string;

/** `14:22:07` on this machine's clock. @param at milliseconds since the epoch */
function timeOfDay(at: number): string {
  const time = new Date(at);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}

export const verdictWord = ({verdict}: Delivery): string =>
  verdict.genuine ? 'genuine' : `NOT GENUINE (${verdict.reason})`;

const amountOf = ({event: {amount}}: Delivery): string | undefined =>
  amount === undefined ? undefined : formatPesos(amount);

/** `14:22:07 --> billing_statement.paid evt_… ₱1,250.50 bstm_… genuine` */
export function deliveryLine(delivery: Delivery): string {
  const {type = 'unreadable', id, objectId} = delivery.event;
  const object = objectId === id ? undefined : objectId;
  const words = [type, id, amountOf(delivery), object, verdictWord(delivery), delivery.duplicateOf && 'again'];
  return clean(`${timeOfDay(delivery.receivedAt)} --> ${words.filter(Boolean).join(' ')}`);
}

export const wasTaken = ({status}: ForwardAttempt): boolean => status !== undefined && status < 300;

/** `14:22:07 <-- 200 POST :3000/hook 12 ms` */
export function attemptLine({startedAt, durationMs, status, error, target, attempt, replay}: ForwardAttempt): string {
  const notes = [attempt > 1 && `attempt ${attempt}`, replay && 'replay'].filter(Boolean).join(', ');
  const where = target.replace(/^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(?=:)/, '');
  return clean(
    `${timeOfDay(startedAt + durationMs)} <-- ${status ?? error ?? 'no response'} POST ${where} ${Math.round(durationMs)} ms${notes ? ` (${notes})` : ''}`,
  );
}

/** Delivery and last attempt in one line of a screen. Verdict and answer come early, since the end may be cut off. */
export function itemLine(delivery: Delivery, attempt: ForwardAttempt | undefined): string {
  const {type = 'unreadable', objectId} = delivery.event;
  const verdict = delivery.duplicateOf ? `${verdictWord(delivery)}, again` : verdictWord(delivery);
  const answer =
    attempt &&
    `→ ${attempt.status ?? attempt.error ?? 'no response'} in ${Math.round(attempt.durationMs)} ms${attempt.attempt > 1 ? ` (attempt ${attempt.attempt})` : ''}`;
  const words = [timeOfDay(delivery.receivedAt), type, amountOf(delivery), verdict, answer, objectId];
  return clean(words.filter(Boolean).join('  '));
}

/** A record as a line for people, if it has one. @param at milliseconds since the epoch */
export function recordLine(
  record: ListenRecord,
  at: number,
  explain: ExplainReason,
): {text: string; style?: Style} | undefined {
  const time = timeOfDay(at);
  switch (record.type) {
    case 'delivery': {
      const {verdict} = record.delivery;
      const text = deliveryLine(record.delivery);
      return verdict.genuine ? {text} : {text: `${text}: ${explain(verdict, Math.floor(at / 1000))}`, style: 'red'};
    }
    case 'forward':
      return {text: attemptLine(record.attempt), style: wasTaken(record.attempt) ? 'green' : 'red'};
    case 'refused': {
      const status = record.status === null ? '' : ` (${record.status})`;
      return {text: clean(`${time} --- refused: ${record.reason}${status}`), style: 'yellow'};
    }
    case 'disconnected':
      return {text: clean(`${time} --- ${record.message}`), style: 'red'};
    case 'notice':
      return {text: clean(`${time} --- ${record.message}`), style: 'yellow'};
    case 'reconnected': {
      const secret = record.secret ? `; secret: ${record.secret}` : '';
      return {text: clean(`${time} --- ${record.message}${secret}`), style: 'green'};
    }
    default:
      return undefined;
  }
}

/** A record as JSON. @param at milliseconds since the epoch */
export function recordJson(record: ListenRecord, at: number): object {
  const head = {v: 1, ts: new Date(at).toISOString(), type: record.type};
  switch (record.type) {
    case 'delivery': {
      const {id, ...delivery} = deliveryJson(record.delivery);
      return {...head, delivery_id: id, ...delivery};
    }
    case 'forward':
      return {...head, delivery_id: record.attempt.deliveryId, ...attemptJson(record.attempt)};
    default:
      return {...head, ...record};
  }
}

/** A delivery as JSON, with its body in base64. */
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

export const attemptJson = ({target, attempt, status, error, durationMs, replay}: ForwardAttempt) => ({
  target,
  attempt,
  status: status ?? null,
  error: error ?? null,
  duration_ms: Math.round(durationMs),
  replay: replay ?? false,
});

export function readyLines(record: Extract<ListenRecord, {type: 'ready'}>): string[] {
  return [
    `Ready. Receiving ${record.mode === 'live' ? 'LIVE' : 'test'} events at ${record.public_url}`,
    ...(record.targets.length > 0 ? [`Forwarding to ${record.targets.join(', ')}`] : []),
    ...(record.secret ? [`Secret: ${record.secret}`] : []),
  ];
}

export const summaryLine = (summary: Summary): string =>
  `${summary.genuine} genuine, ${summary.not_genuine} not genuine, ${summary.refused} refused, ${summary.filtered} filtered out; ${summary.forwarded} forwarded, ${summary.forward_failures} not accepted.`;

/** Prints a record: events on stdout, notes about the listener on stderr. @param options `at` in milliseconds */
export async function printRecord(
  record: ListenRecord,
  io: Io,
  {machine, at, explain}: {machine: boolean; at: number; explain: ExplainReason},
): Promise<void> {
  // Only with --print-secret does a record have one.
  const secret = 'secret' in record ? record.secret : undefined;
  const showing = {showing: secret ? [secret] : []};
  if (machine) {
    const shown = {...io.hide(recordJson(record, at)), ...(secret && {secret})};
    return io.out(`${toJson(shown)}\n`, showing);
  }
  if (record.type === 'ready') for (const line of readyLines(record)) io.note(line, showing);
  else if (record.type === 'summary') io.note(summaryLine(record));
  else {
    const line = recordLine(record, at, explain);
    if (line) await io.out(`${line.style ? io.paint(line.style, line.text) : line.text}\n`, showing);
  }
}
