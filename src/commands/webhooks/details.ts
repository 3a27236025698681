// Everything about one delivery, as lines: verdict, headers, what changed, body, attempts.

import type {Context} from '../../context.js';
import {clean, formatValue, kindOfName} from '../../output/format.js';
import type {Io} from '../../output/io.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/receive/delivery.js';
import {attemptLine, verdictWord} from './records.js';

type Library = Awaited<ReturnType<Context['webhooks']>>;

/**
 * What may be seen of it, as lines that are clean.
 * @param before the last event that told of the same object
 * @param now unix seconds
 */
export function detailLines(
  delivery: Delivery,
  attempts: readonly ForwardAttempt[],
  before: Delivery | undefined,
  {library, now, io}: {library: Library; now: number; io: Io},
): string[] {
  const {event, verdict, body, id, receivedAt} = delivery;
  const headers = io.hide(delivery.headers);
  const received = new Date(receivedAt).toISOString();
  return [
    `${event.type ?? 'unreadable'}  ${event.id ?? ''}`,
    `${id}, received ${received}: ${verdictWord(delivery)}`,
    ...(verdict.genuine ? [] : [`  ${library.explainReason(verdict, now)}`]),
    ...(delivery.webhook ? [`Webhook: ${delivery.webhook}`] : []),
    ...(delivery.duplicateOf ? [`The same event as ${delivery.duplicateOf}.`] : []),
    '',
    ...changeLines(delivery, before, library, io),
    'Attempts',
    ...(attempts.length > 0 ? attempts.map((attempt) => `  ${attemptLine(attempt)}`) : ['  none']),
    '',
    'Headers',
    ...headers.map(([name, value]) => `  ${name}: ${value}`),
    '',
    `Body, ${body.length} bytes`,
    ...bodyLines(body, io),
  ].map((line) => clean(io.redact(line)));
}

function changeLines(
  delivery: Delivery,
  before: Delivery | undefined,
  {changesBetween, objectOf}: Library,
  io: Io,
): string[] {
  const [old, now] = [before && objectOf(before.body), objectOf(delivery.body)];
  if (!old || !now || !before) return [];
  const changes = changesBetween(io.hide(old), io.hide(now));
  const value = (one: unknown, path: string): string => formatValue(one, kindOfName(path)) || 'nothing';
  return [
    `What changed since ${before.event.type}`,
    ...(changes.length > 0
      ? changes.map(
          (change) => `  ${change.path}: ${value(change.before, change.path)} → ${value(change.after, change.path)}`,
        )
      : ['  nothing']),
    '',
  ];
}

function bodyLines(body: Uint8Array, io: Io): string[] {
  const text = Buffer.from(body).toString('utf8');
  const event = parsed(text);
  const shown = event === undefined ? io.redact(text) : JSON.stringify(io.hide(event), null, 2);
  return shown.split('\n').map((line) => `  ${line}`);
}

/** Undefined for what is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
