// `centavo sandbox events get`: an event and each attempt to send it.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {integer, list, objectNamed, record, text} from '../../../cli/json-schema.js';
import {isoTime} from '../../../output/format.js';
import {attemptSchema, EVENT_COLUMNS, eventArgument, eventId} from './shared/event.js';

export class EventsGetCommand extends BaseCommand {
  static override summary = 'Show a sandbox event, and each attempt to send it.';
  static override description =
    'Times are those of the sandbox clock. With --json you also get the event as it is sent, and the attempts still to be made.';
  static override examples = [
    '<%= config.bin %> sandbox events get evt_3Kd8',
    '<%= config.bin %> sandbox events get evt_3Kd8 --json',
  ];
  static override usage = 'sandbox events get <id> [flags]';
  static override args = eventArgument;
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () =>
    record({
      event: objectNamed('event'),
      pending: list(record({webhook_id: text, attempts: integer, next_at: integer})),
      attempts: list(attemptSchema),
    });

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
