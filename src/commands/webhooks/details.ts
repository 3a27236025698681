// Everything about one delivery, as lines: verdict, headers, what changed, body, attempts.

import type {Context} from '../../context.js';
import {clean, formatValue} from '../../output/format.js';
import {redact} from '../../output/redact.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/delivery.js';
import {attemptLine, verdictWord} from './records.js';

type Library = Awaited<ReturnType<Context['webhooks']>>;

/**
 * @param before the last event that told of the same object
 * @param now unix seconds
 */
export function detailLines(
  delivery: Delivery,
  attempts: readonly ForwardAttempt[],
  before: Delivery | undefined,
  library: Library,
  now: number,
): string[] {
  const {event, verdict, headers, body, id, receivedAt} = delivery;
  const received = new Date(receivedAt).toISOString();
  return [
    `${event.type ?? 'unreadable'}  ${event.id ?? ''}`,
    `${id}, received ${received}: ${verdictWord(delivery)}`,
    ...(verdict.genuine ? [] : [`  ${library.explainReason(verdict, now)}`]),
    ...(delivery.duplicateOf ? [`The same event as ${delivery.duplicateOf}.`] : []),
    '',
    ...changeLines(delivery, before, library),
    'Attempts',
    ...(attempts.length > 0 ? attempts.map((attempt) => `  ${attemptLine(attempt)}`) : ['  none']),
    '',
    'Headers',
    ...headers.map(([name, value]) => `  ${name}: ${redact(value)}`),
    '',
    `Body, ${body.length} bytes`,
    ...bodyLines(body),
  ].map(clean);
}

function changeLines(delivery: Delivery, before: Delivery | undefined, {changesBetween, objectOf}: Library): string[] {
  const [old, now] = [before && objectOf(before.body), objectOf(delivery.body)];
  if (!old || !now || !before) return [];
  const changes = changesBetween(old, now);
  const value = (one: unknown): string => formatValue(one, 'text') || 'nothing';
  return [
    `What changed since ${before.event.type}`,
    ...(changes.length > 0
      ? changes.map((change) => `  ${change.path}: ${value(change.before)} → ${value(change.after)}`)
      : ['  nothing']),
    '',
  ];
}

function bodyLines(body: Uint8Array): string[] {
  const text = Buffer.from(body).toString('utf8');
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
      .split('\n')
      .map((line) => `  ${redact(line)}`);
  } catch {
    return text.split('\n').map((line) => `  ${redact(line)}`);
  }
}
