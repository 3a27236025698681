// `centavo sandbox events`: what happened in the sandbox, who was told, and a way to tell again.

import {Args, Flags} from '@oclif/core';
import {CentavoError, usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import {isoTime} from '../../output/format.js';
import type {Column} from '../../output/render.js';
import type {Attempt} from '../../sandbox/attempt-log.js';
import {BaseCommand} from '../base.js';
import {checkId} from '../ids.js';

const EVENT_COLUMNS: readonly Column[] = [
  {path: 'id', header: 'id', kind: 'text'},
  {path: 'type', header: 'type', kind: 'text'},
  {path: 'data.id', header: 'object', kind: 'text'},
  {path: 'pending_webhooks', header: 'pending', kind: 'text'},
  {path: 'created_at', header: 'created', kind: 'timestamp'},
];

const ATTEMPT_COLUMNS: readonly Column[] = [
  {path: 'webhook_id', header: 'webhook', kind: 'text'},
  {path: 'url', header: 'url', kind: 'text'},
  {path: 'attempt', header: 'attempt', kind: 'text'},
  {path: 'outcome', header: 'outcome', kind: 'status'},
  {path: 'status', header: 'status', kind: 'text'},
  {path: 'error', header: 'error', kind: 'text'},
  {path: 'duration_ms', header: 'ms', kind: 'text'},
];

const DEFAULT_LIMIT = 20;

export class EventsListCommand extends BaseCommand {
  static override summary = 'List the events of the sandbox, newest first.';
  static override description =
    'Pending is the number of webhooks to which the event is still to be sent. The API has no list of events: this is the sandbox’s own.';
  static override examples = [
    '<%= config.bin %> sandbox events list',
    '<%= config.bin %> sandbox events list --type billing_statement.paid --limit 5',
    '<%= config.bin %> sandbox events list -o csv',
  ];
  static override flags = {
    limit: Flags.string({summary: 'How many.', helpValue: '<number>', default: String(DEFAULT_LIMIT)}),
    type: Flags.string({summary: 'Only those of this kind.', helpValue: '<event>'}),
  };

  async run(): Promise<unknown> {
    const {flags} = await this.read(EventsListCommand);
    const limit = flags.limit as string;
    if (!/^[1-9]\d{0,6}$/.test(limit))
      throw usageError(`--limit ${quote(limit)} is not a whole number from 1 on.`, {code: 'invalid_number'});
    const sandbox = await this.context.sandbox();
    const page = sandbox.listEvents({limit: Number(limit), type: (flags.type as string | undefined)?.trim()});
    await this.print({
      rows: page.data as never,
      document: page,
      columns: EVENT_COLUMNS,
      all: EVENT_COLUMNS,
      shape: 'many',
      empty: 'No events.',
    });
    return page;
  }
}

/** Without a verb it lists. */
export class EventsCommand extends EventsListCommand {
  static override summary = 'List the events of the sandbox; get shows one, resend sends it again.';
}

const EVENT_ARG = {id: Args.string({description: 'Id of an event (evt_).'})};

function eventId(text: string | undefined, verb: string): string {
  const id = text?.trim();
  if (id === undefined)
    throw usageError('the id of the event is missing.', {
      code: 'missing_argument',
      hint: `For example: centavo sandbox events ${verb} evt_3Kd8`,
    });
  if (/^evt_[A-Za-z0-9]{1,200}$/.test(id)) return id;
  throw usageError(`${quote(id)} is not the id of an event.`, {
    code: 'invalid_id',
    hint: 'Ids of events begin with evt_; see: centavo sandbox events list',
  });
}

export class EventsGetCommand extends BaseCommand {
  static override summary = 'Show an event of the sandbox, and each attempt to send it.';
  static override description =
    'Times of attempts are those of the sandbox’s clock. With --json also the event as it is sent, and what is still to be sent.';
  static override examples = [
    '<%= config.bin %> sandbox events get evt_3Kd8',
    '<%= config.bin %> sandbox events get evt_3Kd8 --json',
  ];
  static override usage = 'sandbox events get <id> [flags]';
  static override args = EVENT_ARG;

  async run(): Promise<unknown> {
    const {args} = await this.read(EventsGetCommand);
    const id = eventId(args.id as string | undefined, 'get');
    const report = (await this.context.sandbox()).getEvent(id);
    const row = {
      ...report.event,
      attempts: report.attempts.map(({webhook_id: webhook, attempt, at, status, error, duration_ms: ms, outcome}) => ({
        webhook,
        attempt,
        at: isoTime(at),
        outcome,
        status,
        error,
        ms,
      })),
      pending: report.pending.map(({webhook_id: webhook, attempts, next_at: at}) => ({
        webhook,
        attempts,
        next: isoTime(at),
      })),
    };
    await this.print({
      rows: [row],
      document: report,
      columns: EVENT_COLUMNS,
      all: [
        ...EVENT_COLUMNS,
        {path: 'attempts', header: 'attempts', kind: 'object'},
        {path: 'pending', header: 'still to be sent', kind: 'object'},
      ],
      shape: 'one',
    });
    return report;
  }
}

export class EventsResendCommand extends BaseCommand {
  static override summary = 'Send an event of the sandbox again, now, even if it was delivered before.';
  static override description =
    'To every enabled webhook that listens to its kind, or to the one named. One attempt each; exit 6 when one is not answered with 2xx.';
  static override examples = [
    '<%= config.bin %> sandbox events resend evt_3Kd8',
    '<%= config.bin %> sandbox events resend evt_3Kd8 --webhook wh_1Bv7',
  ];
  static override usage = 'sandbox events resend <id> [flags]';
  static override args = EVENT_ARG;
  static override flags = {
    webhook: Flags.string({summary: 'Only to this one.', helpValue: '<wh_…>'}),
  };

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(EventsResendCommand);
    const {context} = this;
    const id = eventId(args.id as string | undefined, 'resend');
    const webhook = flags.webhook === undefined ? undefined : checkId(flags.webhook as string, 'wh_', '--webhook');
    const sandbox = await context.sandbox();
    const attempts = await sandbox.resendEvent(id, {webhook, signal: context.signal});
    await this.print({
      rows: attempts as never,
      document: attempts,
      columns: ATTEMPT_COLUMNS,
      all: [...ATTEMPT_COLUMNS, {path: 'at', header: 'at', kind: 'timestamp'}],
      shape: 'many',
    });
    const failed = attempts.filter(({outcome}) => outcome !== 'delivered');
    if (failed.length > 0) throw notTaken(id, failed);
    return attempts;
  }
}

function notTaken(id: string, failed: readonly Attempt[]): CentavoError {
  const [first] = failed as [Attempt];
  const others = failed.length > 1 ? ` and ${failed.length - 1} more` : '';
  return new CentavoError('condition_unmet', `${id} was not taken by ${first.url}${others}.`, {
    code: 'not_delivered',
    why: first.status === null ? `There was no answer: ${first.error}.` : `It answered ${first.status}.`,
    applied: 'yes',
  });
}
