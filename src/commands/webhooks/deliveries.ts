// `centavo webhooks deliveries`: what was received, and what became of it.

import {Args, Flags} from '@oclif/core';
import type {Context} from '../../context.js';
import {CentavoError, usageError} from '../../errors.js';
import {parseDate} from '../../input/dates.js';
import {quote} from '../../input/money.js';
import type {Column} from '../../output/render.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/receive/delivery.js';
import {BaseCommand} from '../../cli/base.js';
import {detailLines} from './details.js';

const COLUMNS: readonly Column[] = [
  {path: 'id', header: 'id', kind: 'text'},
  {path: 'event_type', header: 'event', kind: 'text'},
  {path: 'forwarded', header: 'forwarded', kind: 'text'},
  {path: 'received_at', header: 'received', kind: 'timestamp'},
  {path: 'object_id', header: 'object', kind: 'text'},
  {path: 'webhook', header: 'webhook', kind: 'text'},
];
const ALL: readonly Column[] = [
  ...COLUMNS,
  {path: 'event_id', header: 'event id', kind: 'text'},
  {path: 'verdict', header: 'verdict', kind: 'text'},
  {path: 'profile', header: 'profile', kind: 'text'},
  {path: 'duplicate_of', header: 'duplicate of', kind: 'text'},
  {path: 'attempts', header: 'attempts', kind: 'object'},
  {path: 'headers', header: 'headers', kind: 'object'},
  {path: 'body', header: 'body', kind: 'text'},
];

/** A delivery as JSON shows it; the body as text where it is text, else in base64. */
export function deliveryObject(delivery: Delivery, attempts: readonly ForwardAttempt[]) {
  const {id, receivedAt, event, verdict, profile, webhook, duplicateOf, path, headers, body} = delivery;
  const last = attempts.at(-1);
  return {
    id,
    received_at: Math.floor(receivedAt / 1000),
    event_id: event.id ?? null,
    event_type: event.type ?? null,
    object_id: event.objectId ?? null,
    verdict: verdict.genuine ? 'genuine' : verdict.reason,
    profile,
    webhook: webhook ?? null,
    duplicate_of: duplicateOf ?? null,
    forwarded: last ? String(last.status ?? last.error ?? 'no answer') : null,
    attempts: attempts.map(({target, attempt, status, error, startedAt, durationMs, replay}) => ({
      target,
      attempt,
      status: status ?? null,
      error: error ?? null,
      started_at: Math.floor(startedAt / 1000),
      duration_ms: Math.round(durationMs),
      replay: replay ?? false,
    })),
    path,
    headers,
    body_base64: Buffer.from(body).toString('base64'),
  };
}

export class DeliveriesListCommand extends BaseCommand {
  static override summary = 'List the deliveries that listening has received, newest first.';
  static override description =
    'Each delivery is shown with its webhook, or with a fingerprint of the secret when only the secret was given (--secret-stdin).\n\n' +
    'A delivery is kept for seven days, and longer if a target has not answered it with 2xx. Old deliveries are removed only when `webhooks listen` starts.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries list',
    "<%= config.bin %> webhooks deliveries list --type 'billing_statement.*' --failed",
    '<%= config.bin %> webhooks deliveries list --since 2026-11-20T00:00:00+08:00 --json',
  ];
  static override flags = {
    limit: Flags.string({summary: 'How many to give.', helpValue: '<number>', default: '20'}),
    before: Flags.string({summary: 'Only those that came before this one.', helpValue: '<dlv_…>'}),
    type: Flags.string({summary: 'Only events of this kind; * stands for any characters.', helpValue: '<pattern>'}),
    failed: Flags.boolean({summary: 'Only those that an app has not taken.'}),
    since: Flags.string({summary: 'Only those received since.', helpValue: '<date>'}),
  };

  async run(): Promise<unknown> {
    const {flags} = await this.read(DeliveriesListCommand);
    const store = await this.context.deliveries();
    const deliveries = store.list({
      limit: limitOf(flags.limit),
      before: flags.before,
      type: flags.type,
      failed: flags.failed || undefined,
      since: flags.since === undefined ? undefined : parseDate(flags.since, '--since', this.context.now()) * 1000,
    });
    const {before, type, failed, since} = flags;
    const narrowed = [before, type, failed || undefined, since].some((value) => value !== undefined);
    const data = deliveries.map((delivery) => deliveryObject(delivery, store.attempts(delivery.id)));
    await this.print({
      rows: data,
      document: {resource: 'list', data},
      columns: COLUMNS,
      all: ALL,
      shape: 'many',
      empty: narrowed ? 'Nothing matches.' : 'Nothing was received yet: centavo webhooks listen',
    });
    return data;
  }
}

export class DeliveriesGetCommand extends BaseCommand {
  static override summary = 'Show one delivery: verdict, attempts, headers, body, and what changed.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries get dlv_3Vt8',
    '<%= config.bin %> webhooks deliveries get dlv_3Vt8 --json',
  ];
  static override usage = 'webhooks deliveries get <id> [flags]';
  static override args = {id: Args.string({description: 'Id that begins with dlv_.'})};

  async run(): Promise<unknown> {
    const {args} = await this.read(DeliveriesGetCommand);
    const {context} = this;
    const store = await context.deliveries();
    const delivery = findDelivery(store, args.id);
    const attempts = store.attempts(delivery.id);
    const object = deliveryObject(delivery, attempts);
    if (this.rendering.format !== undefined || this.rendering.jq !== undefined || this.rendering.fields) {
      await this.print({rows: [object], document: object, columns: COLUMNS, all: ALL, shape: 'one'});
      return object;
    }
    const library = await context.webhooks();
    const surroundings = {library, now: context.now(), io: context.io};
    const lines = detailLines(delivery, attempts, previous(store, delivery), surroundings);
    await context.io.out(`${lines.join('\n')}\n`);
    return object;
  }
}

type Store = Awaited<ReturnType<Context['deliveries']>>;

/** The last event before this one that told of the same object; by whichever webhook it came. */
function previous(store: Store, delivery: Delivery): Delivery | undefined {
  const {objectId} = delivery.event;
  return objectId === undefined
    ? undefined
    : store
        .list({limit: 200, before: delivery.id})
        .find(({event}) => event.objectId === objectId && event.id !== delivery.event.id);
}

/** @throws CentavoError kind `usage` for no id, `not_found` for one that is not there */
export function findDelivery(store: Pick<Store, 'get'>, text: string | undefined): Delivery {
  const id = text?.trim();
  if (!id || !/^dlv_[A-Za-z0-9]+$/.test(id)) {
    throw usageError(id ? `${quote(id)} is not the id of a delivery.` : 'the id of a delivery is missing.', {
      code: 'invalid_id',
      hint: 'Deliveries are listed by: centavo webhooks deliveries list',
    });
  }
  const delivery = store.get(id);
  if (delivery) return delivery;
  throw new CentavoError('not_found', `there is no delivery ${id}.`, {
    hint: 'To see the stored deliveries: centavo webhooks deliveries list',
  });
}

export function limitOf(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw usageError(`--limit ${quote(text)} is not a whole number from 1 on.`, {code: 'invalid_number'});
}
