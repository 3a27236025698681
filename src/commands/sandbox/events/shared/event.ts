// Shared by `centavo sandbox events`: the event id argument and the columns.

import {requiredArgument} from '../../../../cli/base.js';
import {type RecordTable} from '../../../../cli/records.js';
import * as schema from '../../../../cli/schema.js';
import {Args} from '../../../../cli/oclif.js';
import {wholeId} from '../../../../cli/references/local-ids.js';
import {nextCommand, usageError} from '../../../../common/errors.js';
import type {Context} from '../../../../context/context.js';
import {outcomesText} from '../../../webhooks/shared/deliveries.js';
import {quote} from '../../../../input/money.js';

export const shownEventFields = {
  id: schema.text,
  type: schema.text,
  'data.id': schema.titled('object', schema.text),
  pending_webhooks: schema.titled('pending', schema.integer),
  created_at: schema.titled('created', schema.timestamp),
  cause: schema.text,
  webhooks: schema.integer,
  outcome: schema.text,
};
export const EVENT: schema.RecordSchema = schema.record(shownEventFields);

export const EVENTS_AT_TERMINAL: RecordTable = {
  type: 1,
  created_at: {rank: 2, timed: true},
  outcome: 3,
  'data.id': {rank: 5, whole: true},
  id: {rank: 4, shortens: true},
  cause: {rank: 7, shortens: true},
};

/** `delivered`, `no webhook`. Old attempts are removed, so the outcome of an old event may be unknown. */
export const jointOutcome = (
  outcomes: Parameters<typeof outcomesText>[0],
  {webhooks}: {readonly webhooks: number},
): string => outcomesText(outcomes) || (webhooks === 0 ? 'no webhook' : 'not known');

export const ATTEMPT = schema.record({
  event_id: schema.text,
  event_type: schema.text,
  webhook_id: schema.titled('webhook', schema.text),
  url: schema.text,
  attempt: schema.integer,
  at: schema.timestamp,
  status: schema.nullable(schema.integer),
  error: schema.nullable(schema.text),
  duration_ms: schema.titled('ms', schema.integer),
  outcome: schema.status,
  next_at: schema.nullable(schema.integer),
});

/** The outcome of an event at a webhook, or at the app `target` behind the webhook's listener. */
export const OUTCOME = schema.record({
  webhook_id: schema.text,
  target: schema.nullable(schema.text),
  outcome: schema.status,
  attempts: schema.integer,
  status: schema.nullable(schema.integer),
  error: schema.nullable(schema.text),
});

export const eventArgument = {id: Args.string({description: 'Id of the event (evt_).', helpValue: '<evt_…>'})};

export async function eventId(context: Context, text: string | undefined, verb: string): Promise<string> {
  const id = requiredArgument(text?.trim(), 'the id of the event', `centavo sandbox events ${verb} evt_3Kd8`);
  if (/^evt_[A-Za-z0-9]{1,200}…?$/.test(id)) return wholeId(context, id, [await context.sandbox()]);
  throw usageError('invalid_id', `${quote(id)} is not the id of an event.`, {
    next: [nextCommand('Event ids start with evt_. To list them', 'sandbox events list')],
  });
}
