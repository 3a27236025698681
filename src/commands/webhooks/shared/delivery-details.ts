// Formats one delivery as lines: verdict, changes, attempts, headers, body.

import {isJsonObject, jsonOrText, writeJson} from '../../../common/json.js';
import {oneLineText, formatValue, isoTime, kindOfName, wrapText} from '../../../output/format.js';
import type {OutputStreams} from '../../../output/streams.js';
import type {ResultRow} from '../../../output/result.js';
import type {AppResponse, Delivery} from '../../../webhooks/receive/delivery.js';
import type {DeliveryOutcome} from '../../../webhooks/store/listener-record.js';
import {
  attemptLine,
  refusalLines,
  verdictText,
  formatWaiting,
  wasAccepted,
  spellOutMark,
  type ExplainReason,
} from './delivery-lines.js';

/** Returns redacted lines without control characters. @param now unix seconds */
export function detailLines(
  delivery: Delivery,
  {
    attempts,
    waiting,
    previous,
  }: Pick<DeliveryOutcome, 'attempts' | 'waiting'> & {readonly previous: Delivery | undefined},
  {explain, now, io}: {readonly explain: ExplainReason; readonly now: number; readonly io: OutputStreams},
): string[] {
  const {event, verdict, body, id, receivedAt} = delivery;
  const last = attempts.findLast(({response}) => response !== undefined);
  const answer = last?.response ? responseLines(last.response, io) : [];
  return [
    `${event.type ?? 'unreadable'}  ${event.id ?? ''}`,
    `${id}, received ${isoTime(receivedAt / 1000)}: ${verdictText(delivery)}`,
    ...(verdict.genuine ? [] : [`  ${explain(verdict, now)}`]),
    ...(delivery.webhook ? [`Webhook: ${delivery.webhook}`] : []),
    ...(delivery.duplicateOf ? [`Duplicate of ${delivery.duplicateOf}.`] : []),
    '',
    ...changeLines(delivery, previous, io),
    'Attempts',
    ...attempts
      .flatMap((attempt) => [
        `  ${spellOutMark(attemptLine(attempt), io)}`,
        ...refusalLines(attempt).map((line) => `           ${line}`),
      ])
      .flatMap((line) => wrapText(line, io.sentenceWidth, 0, 11)),
    ...(waiting ? [`  ${formatWaiting(waiting)}`] : attempts.length === 0 ? ['  none'] : []),
    '',
    // The response matters most after a refusal; after a success it comes last.
    ...(last && !wasAccepted(last) ? [...answer, ''] : []),
    'Headers',
    ...headerLines(delivery.headers, io),
    '',
    `Body, ${body.length} bytes`,
    ...bodyLines(Buffer.from(body).toString('utf8'), io),
    ...(last && wasAccepted(last) ? ['', ...answer] : []),
  ].map((line) => oneLineText(io.redact(line)));
}

const headerLines = (headers: Delivery['headers'], io: OutputStreams): string[] =>
  io.hide(headers).map(([name, value]) => `  ${name}: ${value}`);

const responseLines = ({headers, body, cut}: AppResponse, io: OutputStreams): string[] => [
  cut ? 'Response (first 16 KB)' : 'Response',
  ...headerLines(headers, io),
  ...(body === '' ? [] : ['', ...bodyLines(body, io)]),
];

function changeLines(delivery: Delivery, previous: Delivery | undefined, io: OutputStreams): string[] {
  const [old, now] = [previous && objectOf(previous.body), objectOf(delivery.body)];
  if (!old || !now || !previous) return [];
  const changes = changesBetween(io.hide(old), io.hide(now));
  const lines = changes.map(([path, was, after]) => {
    const value = (one: unknown): string => formatValue(one, kindOfName(path)) || 'nothing';
    return `  ${path}: ${value(was)} ${io.spoken ? 'to' : '→'} ${value(after)}`;
  });
  return [`Changed since ${previous.event.type}`, ...(lines.length > 0 ? lines : ['  nothing']), ''];
}

/** Returns the object of an event, in `data` or `data.resource`; undefined if the body is not an event. */
function objectOf(body: Uint8Array): ResultRow | undefined {
  const event = jsonOrText(Buffer.from(body).toString('utf8'));
  const data = isJsonObject(event) ? event.data : undefined;
  if (!isJsonObject(data)) return undefined;
  return isJsonObject(data.resource) ? data.resource : data;
}

type FieldChange = readonly [path: string, previous: unknown, after: unknown];

/** Returns fields that differ, except updated_at. Lists are compared as a whole. */
function changesBetween(previous: ResultRow, after: ResultRow, prefix = ''): FieldChange[] {
  const keys = [...new Set([...Object.keys(previous), ...Object.keys(after)])].filter((key) => key !== 'updated_at');
  return keys.flatMap((key): FieldChange[] => {
    const [old, now] = [previous[key], after[key]];
    if (writeJson(old) === writeJson(now)) return [];
    if (isJsonObject(old) && isJsonObject(now)) return changesBetween(old, now, `${prefix}${key}.`);
    return [[`${prefix}${key}`, old, now]];
  });
}

function bodyLines(text: string, io: OutputStreams): string[] {
  const event = jsonOrText(text);
  const shown = typeof event === 'string' ? io.redact(text) : writeJson(io.hide(event), 2);
  return shown.split('\n').map((line) => `  ${line}`);
}
