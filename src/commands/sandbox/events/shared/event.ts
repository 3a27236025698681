// What the commands of `centavo sandbox events` share: the id of an event, and its columns.

import {requiredArgument} from '../../../../cli/base.js';
import {integer, nullable, record, text} from '../../../../cli/json-schema.js';
import {recordColumns} from '../../../../cli/objects/results.js';
import {Args} from '../../../../cli/oclif.js';
import {usageError} from '../../../../ground/errors.js';
import {quote} from '../../../../input/money.js';
import type {Column} from '../../../../output/result.js';

export const EVENT_COLUMNS: readonly Column[] = [
  ...recordColumns(['id', 'type']),
  {path: 'data.id', header: 'object', kind: 'text'},
  {path: 'pending_webhooks', header: 'pending', kind: 'text'},
  {path: 'created_at', header: 'created', kind: 'timestamp'},
];

/** The same at a terminal: what happened and when, then the ids. */
export const EVENTS_AT_TERMINAL: readonly Column[] = [
  {path: 'type', header: 'type', kind: 'text', rank: 1},
  {path: 'created_at', header: 'created', kind: 'timestamp', rank: 2, timed: true},
  {path: 'pending_webhooks', header: 'pending', kind: 'text', rank: 6},
  {path: 'data.id', header: 'object', kind: 'text', rank: 5, whole: true},
  {path: 'id', header: 'id', kind: 'text', rank: 4},
];

export const attemptSchema = record({
  event_id: text,
  event_type: text,
  webhook_id: text,
  url: text,
  attempt: integer,
  at: integer,
  status: nullable(integer),
  error: nullable(text),
  duration_ms: integer,
  outcome: text,
  next_at: nullable(integer),
});

export const eventArgument = {id: Args.string({description: 'Id of the event (evt_).', helpValue: '<evt_…>'})};

export function eventId(text: string | undefined, verb: string): string {
  const id = requiredArgument(text?.trim(), 'the id of the event', `centavo sandbox events ${verb} evt_3Kd8`);
  if (/^evt_[A-Za-z0-9]{1,200}$/.test(id)) return id;
  throw usageError(`${quote(id)} is not the id of an event.`, {
    code: 'invalid_id',
    hint: 'Event ids start with evt_. To list them: centavo sandbox events list',
  });
}
