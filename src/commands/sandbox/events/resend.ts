// `centavo sandbox events resend`: sends an event again.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {isDryRun} from '../../../cli/dry-run.js';
import {resultOfRecords} from '../../../cli/records.js';
import {list} from '../../../cli/schema.js';
import {Flags} from '../../../cli/oclif.js';
import {readId} from '../../../cli/references/references.js';
import {CentavoError} from '../../../ground/errors.js';
import {valid} from '../../../input/fault.js';
import type {Attempt} from '../../../sandbox/delivery/attempts.js';
import {ATTEMPT, eventArgument, eventId} from './shared/event.js';

const COLUMNS = ['webhook_id', 'attempt', 'outcome', 'status', 'error', 'duration_ms', 'url'];

export class EventsResendCommand extends BaseCommand {
  static override summary = 'Resend a sandbox event now, even if it was delivered before.';
  static override description =
    'The event goes to every enabled webhook that subscribes to its type, or only to the one given with --webhook. There is one attempt for each. If one does not answer with 2xx, the exit code is 6.';
  static override examples = [
    '<%= config.bin %> sandbox events resend evt_3Kd8',
    '<%= config.bin %> sandbox events resend evt_3Kd8 --webhook wh_1Bv7',
  ];
  static override args = eventArgument;
  static override flags = {
    webhook: Flags.string({summary: 'Send only to this webhook.', helpValue: '<wh_…>'}),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found', 'rejected', 'condition_unmet'] as const;
  static output = () => list(ATTEMPT);

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(EventsResendCommand);
    const {context} = this;
    const id = eventId(args.id, 'resend');
    const webhook = flags.webhook === undefined ? undefined : valid(readId(flags.webhook, 'wh_'));
    if (isDryRun(context, flags, `send ${id} to ${webhook ?? 'every webhook that subscribes to its type'}`))
      return undefined;
    const sandbox = await context.sandbox();
    const attempts = await sandbox.resendEvent(id, {webhook, signal: context.signal});
    await this.printDone(resultOfRecords(ATTEMPT, attempts, {columns: COLUMNS}));
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
