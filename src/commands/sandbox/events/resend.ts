// `centavo sandbox events resend`: sends an event again.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {isDryRun} from '../../../cli/dry-run.js';
import {list} from '../../../cli/json-schema.js';
import {recordColumns, resultOfRecords} from '../../../cli/objects/results.js';
import {Flags} from '../../../cli/oclif.js';
import {checkId} from '../../../cli/references/references.js';
import {CentavoError} from '../../../ground/errors.js';
import type {Column} from '../../../output/result.js';
import type {Attempt} from '../../../sandbox/delivery/attempts.js';
import {attemptSchema, eventArgument, eventId} from './shared/event.js';

const ATTEMPT_COLUMNS: readonly Column[] = [
  {path: 'webhook_id', header: 'webhook', kind: 'text'},
  ...recordColumns(['attempt', 'outcome', 'status', 'error'], {outcome: 'status'}),
  {path: 'duration_ms', header: 'ms', kind: 'text'},
  ...recordColumns(['url']),
];

export class EventsResendCommand extends BaseCommand {
  static override summary = 'Resend a sandbox event now, even if it was delivered before.';
  static override description =
    'The event goes to every enabled webhook that subscribes to its type, or only to the one given with --webhook. There is one attempt for each. If one does not answer with 2xx, the exit code is 6.';
  static override examples = [
    '<%= config.bin %> sandbox events resend evt_3Kd8',
    '<%= config.bin %> sandbox events resend evt_3Kd8 --webhook wh_1Bv7',
  ];
  static override usage = 'sandbox events resend <id> [flags]';
  static override args = eventArgument;
  static override flags = {
    webhook: Flags.string({summary: 'Send only to this webhook.', helpValue: '<wh_…>'}),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found', 'rejected', 'condition_unmet'] as const;
  static output = () => list(attemptSchema);

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(EventsResendCommand);
    const {context} = this;
    const id = eventId(args.id, 'resend');
    const webhook = flags.webhook === undefined ? undefined : checkId(flags.webhook, 'wh_', '--webhook');
    if (isDryRun(context, flags, `send ${id} to ${webhook ?? 'every webhook that subscribes to its type'}`))
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
  return new CentavoError('condition_unmet', `${id} was not accepted by ${first.url}${others}.`, {
    code: 'not_delivered',
    why: first.status === null ? `No answer: ${first.error}.` : `It answered ${first.status}.`,
  });
}
