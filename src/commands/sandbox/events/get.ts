// `centavo sandbox events get`: shows an event and each delivery attempt.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {resultOfRecord} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {isoTime} from '../../../output/format.js';
import {ATTEMPT, eventArgument, OUTCOME, jointOutcome, shownEventFields, eventId} from './shared/event.js';

/** Fields of the text output. JSON has the event as sent. */
const DETAILS: schema.RecordSchema = schema.record({
  ...shownEventFields,
  attempts: schema.list(schema.anything),
  pending: schema.titled('still to be sent', schema.list(schema.anything)),
});

export class EventsGetCommand extends BaseCommand {
  static override summary = 'Show a sandbox event and its delivery attempts.';
  static override description =
    'Shows the attempts of the sandbox, with times by its clock. To see how a listener forwarded the event to your app: centavo webhooks deliveries get. With --json you also get the event as sent, and its pending attempts.';
  static override examples = [
    '<%= config.bin %> sandbox events get evt_3Kd8',
    '<%= config.bin %> sandbox events get evt_3Kd8 --json',
  ];
  static override args = eventArgument;
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () =>
    schema.record({
      event: schema.objectNamed('event'),
      cause: schema.text,
      webhooks: schema.integer,
      outcomes: schema.list(OUTCOME),
      pending: schema.list(schema.record({webhook_id: schema.text, attempts: schema.integer, next_at: schema.integer})),
      attempts: schema.list(ATTEMPT),
    });

  async run(): Promise<void> {
    const {args} = await this.read(EventsGetCommand);
    const id = await eventId(this.context, args.id, 'get');
    const report = await (await this.context.sandbox()).getEvent(id);
    const row = {
      ...report.event,
      outcome: jointOutcome(report.outcomes, report),
      cause: report.cause,
      webhooks: report.webhooks,
      attempts: report.attempts.map(({webhook_id: webhook, attempt, at, status, error, duration_ms: ms, outcome}) => ({
        webhook,
        attempt,
        at: isoTime(at),
        outcome,
        status,
        error,
        ms,
      })),
      pending: report.pending.map((each) => ({
        webhook: each.webhook_id,
        attempts: each.attempts,
        next: isoTime(each.next_at),
      })),
    };
    await this.print(resultOfRecord(DETAILS, row, {document: report, all: Object.keys(DETAILS.properties)}));
  }
}
