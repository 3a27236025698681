// `centavo sandbox events`: the events of the sandbox and each attempt to send them.

import {Args, Flags} from '@oclif/core';
import {BaseCommand, requiredArgument} from '../../cli/base.js';
import {recordColumns, resultOfRecords} from '../../cli/columns.js';
import {isDryRun} from '../../cli/dry-run.js';
import {checkId} from '../../cli/references.js';
import {CentavoError, usageError} from '../../errors.js';
import {quote} from '../../input/money.js';
import {parseWholeNumber} from '../../input/numbers.js';
import {isoTime} from '../../output/format.js';
import type {Column} from '../../output/render.js';
import type {Attempt} from '../../sandbox/delivery/attempts.js';

const EVENT_COLUMNS: readonly Column[] = [
  ...recordColumns(['id', 'type']),
  {path: 'data.id', header: 'object', kind: 'text'},
  {path: 'pending_webhooks', header: 'pending', kind: 'text'},
  {path: 'created_at', header: 'created', kind: 'timestamp'},
];

const EVENT_ARG = {id: Args.string({description: 'Id of an event (evt_).'})};

/** @throws CentavoError kind `usage` */
function eventId(text: string | undefined, verb: string): string {
  const id = requiredArgument(text?.trim(), 'the id of the event', `centavo sandbox events ${verb} evt_3Kd8`);
  if (/^evt_[A-Za-z0-9]{1,200}$/.test(id)) return id;
  throw usageError(`${quote(id)} is not the id of an event.`, {
    code: 'invalid_id',
    hint: 'Ids of events begin with evt_; see: centavo sandbox events list',
  });
}

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
    limit: Flags.string({summary: 'How many.', helpValue: '<number>', default: '20'}),
    type: Flags.string({summary: 'Only those of this kind.', helpValue: '<event>'}),
  };

  async run(): Promise<unknown> {
    const {flags} = await this.read(EventsListCommand);
    const limit = parseWholeNumber(flags.limit, '--limit', {from: 1});
    const sandbox = await this.context.sandbox();
    const page = sandbox.listEvents({limit, type: flags.type?.trim()});
    await this.print(resultOfRecords(page.data, EVENT_COLUMNS, {document: page, empty: 'No events.'}));
    return page;
  }
}

/** Without a verb it lists. */
export class EventsCommand extends EventsListCommand {
  static override summary = 'List the events of the sandbox; get shows one, resend sends it again.';
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
    const id = eventId(args.id, 'get');
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

const ATTEMPT_COLUMNS: readonly Column[] = [
  {path: 'webhook_id', header: 'webhook', kind: 'text'},
  ...recordColumns(['attempt', 'outcome', 'status', 'error'], {outcome: 'status'}),
  {path: 'duration_ms', header: 'ms', kind: 'text'},
  ...recordColumns(['url']),
];

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
    const id = eventId(args.id, 'resend');
    const webhook = flags.webhook === undefined ? undefined : checkId(flags.webhook, 'wh_', '--webhook');
    if (isDryRun(context, flags, `send ${id} to ${webhook ?? 'every webhook that listens to its kind'}`))
      return undefined;
    const sandbox = await context.sandbox();
    const attempts = await sandbox.resendEvent(id, {webhook, signal: context.signal});
    const all = [...ATTEMPT_COLUMNS, ...recordColumns(['at'], {at: 'timestamp'})];
    await this.printDone(resultOfRecords(attempts, ATTEMPT_COLUMNS, {all}));
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
    why: first.status === null ? `No answer: ${first.error}.` : `It answered ${first.status}.`,
  });
}
