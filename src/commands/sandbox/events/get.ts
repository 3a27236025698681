// `centavo sandbox events get`: shows an event and each delivery attempt.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {resultOfRecord} from '../../../cli/records.js';
import {
  anything,
  integerSchema,
  listSchema,
  objectNamed,
  recordSchema,
  type RecordSchema,
  textSchema,
  titledSchema,
} from '../../../cli/schema.js';
import {formatValue, isoTime} from '../../../output/format.js';
import {attemptFields, startedAttemptJson} from '../../webhooks/shared/deliveries.js';
import {ATTEMPT, eventArgument, OUTCOME, outcomeText, shownEventFields, eventId} from './shared/event.js';

/** Fields of the text output. JSON has the event as sent. */
const DETAILS: RecordSchema = recordSchema({
  ...shownEventFields,
  attempts: listSchema(anything),
  forwards: titledSchema('sent to your app', listSchema(anything)),
  pending: titledSchema('still to be sent', listSchema(anything)),
});

export class EventsGetCommand extends BaseCommand {
  static override summary = 'Show a sandbox event and its delivery attempts.';
  static override description =
    'Times are by the sandbox clock, except those of attempts to forward it to your app. With --json you also get the event as sent, and its pending attempts.';
  static override examples = [
    '<%= config.bin %> sandbox events get evt_3Kd8',
    '<%= config.bin %> sandbox events get evt_3Kd8 --json',
  ];
  static override args = eventArgument;
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () =>
    recordSchema({
      event: objectNamed('event'),
      cause: textSchema,
      webhooks: integerSchema,
      outcomes: listSchema(OUTCOME),
      forwards: listSchema(recordSchema({...attemptFields, started_at: integerSchema})),
      pending: listSchema(recordSchema({webhook_id: textSchema, attempts: integerSchema, next_at: integerSchema})),
      attempts: listSchema(ATTEMPT),
    });

  async run(): Promise<void> {
    const {args} = await this.read(EventsGetCommand);
    const id = await eventId(this.context, args.id, 'get');
    const sandbox = await this.context.sandbox();
    const report = await sandbox.getEvent(id);
    const {event, webhooks, forwards} = report;
    // The times of forwards are by this machine's clock.
    const clock = forwards.length > 0 && sandbox.clock().ahead > 0 ? ' (sandbox clock)' : '';
    const row = {
      ...event,
      created_at: formatValue(event.created_at, 'timestamp') + clock,
      outcome: outcomeText(report.outcomes, report),
      cause: report.cause,
      webhooks,
      attempts: report.attempts.map(({webhook_id: webhook, attempt, at, status, error, duration_ms: ms, outcome}) => ({
        webhook,
        attempt,
        at: isoTime(at) + clock,
        outcome,
        status,
        error,
        ms,
      })),
      forwards: forwards.map(({target, attempt, startedAt, durationMs, status, error}) => {
        const [at, ms] = [isoTime(startedAt / 1000), Math.round(durationMs)];
        return {target, attempt, at, status, error, ms};
      }),
      pending: report.pending.map((each) => ({
        webhook: each.webhook_id,
        attempts: each.attempts,
        next: isoTime(each.next_at) + clock,
      })),
    };
    const document = {...report, forwards: forwards.map(startedAttemptJson)};
    await this.print(resultOfRecord(DETAILS, row, {document, all: Object.keys(DETAILS.properties)}));
  }
}
