// The events of the sandbox for whoever looks after it: the API has no endpoint for them.

import type {EventEnvelope} from '../../api/events.js';
import {CentavoError} from '../../errors.js';
import type {Attempt} from './attempt-log.js';
import {present} from '../present.js';
import type {Stored} from '../store.js';
import type {Work} from '../work.js';

export interface EventQuery {
  readonly limit: number;
  /** Only those of this kind. */
  readonly type?: string;
}

export interface EventPage {
  readonly resource: 'list';
  readonly has_more: boolean;
  /** Newest first. */
  readonly data: readonly EventEnvelope[];
}

/** What is still to be sent. */
export interface PendingDelivery {
  readonly webhook_id: string;
  /** How many attempts there were. */
  readonly attempts: number;
  /** Unix seconds of the sandbox's clock. */
  readonly next_at: number;
}

export interface EventReport {
  readonly event: EventEnvelope;
  readonly pending: readonly PendingDelivery[];
  /** Oldest first. */
  readonly attempts: readonly Attempt[];
}

const shown = (work: Work, event: Stored): EventEnvelope => present(event, work) as unknown as EventEnvelope;

export function listEvents(work: Work, {limit, type}: EventQuery): EventPage {
  const where = type === undefined ? undefined : (event: Stored) => event.type === type;
  const {data, hasMore} = work.store.list('event', {limit, where});
  return {resource: 'list', has_more: hasMore, data: data.map((event) => shown(work, event))};
}

/** @throws CentavoError kind `not_found` */
export function getEvent(work: Work, id: string): EventReport {
  return {
    event: shown(work, eventOf(work, id)),
    pending: work.store.outbox
      .ofEvent(id)
      .map(({webhook, attempts, due}) => ({webhook_id: webhook, attempts, next_at: due})),
    attempts: work.store.attempts.ofEvent(id),
  };
}

/** @throws CentavoError kind `not_found` */
export function eventOf(work: Work, id: string): Stored {
  const found = work.store.find('event', id);
  if (found) return found.record;
  throw new CentavoError('not_found', `there is no event ${id} in the sandbox.`, {
    hint: 'Those there are: centavo sandbox events list',
    applied: 'no',
  });
}
