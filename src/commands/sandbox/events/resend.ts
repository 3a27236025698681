// `centavo sandbox events resend`: resends an event.

import {inProject} from '../../../cli/next-steps.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {isDryRun} from '../../../cli/dry-run.js';
import {resultOfRecords} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {Flags} from '../../../cli/oclif.js';
import {wholeId} from '../../../cli/references/local-ids.js';
import {readId} from '../../../cli/references/references.js';
import {CentavoError} from '../../../common/errors.js';
import {valueOrThrow} from '../../../input/invalid-input.js';
import {listenCommand, targetReader} from '../../webhooks/shared/endpoint.js';
import {ATTEMPT, eventArgument, eventId} from './shared/event.js';

const COLUMNS = ['webhook_id', 'attempt', 'outcome', 'status', 'error', 'duration_ms', 'url'];

export class EventsResendCommand extends BaseCommand {
  static override summary = 'Resend a sandbox event now, even if it was delivered before.';
  static override description =
    'The event goes to every enabled webhook that subscribes to its type, or only to the webhook given with --webhook. Each gets one attempt. If one does not answer with 2xx, the exit code is 6.';
  static override examples = [
    '<%= config.bin %> sandbox events resend evt_3Kd8',
    '<%= config.bin %> sandbox events resend evt_3Kd8 --webhook wh_1Bv7',
  ];
  static override args = eventArgument;
  static override flags = {
    webhook: Flags.string({summary: 'Send only to this webhook.', helpValue: '<wh_…>'}),
  };
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found', 'rejected', 'condition_unmet'] as const;
  static output = () => schema.page(ATTEMPT);

  async run(): Promise<void> {
    const {args, flags} = await this.read(EventsResendCommand);
    const {context} = this;
    const id = await eventId(context, args.id, 'resend');
    const sandbox = await context.sandbox();
    const webhook =
      flags.webhook === undefined
        ? undefined
        : valueOrThrow(readId(await wholeId(context, flags.webhook, [sandbox]), 'wh_'));
    if (isDryRun(context, flags, `send ${id} to ${webhook ?? 'every webhook that subscribes to its type'}`)) return;
    const notes: string[] = [];
    const tell = (words: string): void => void notes.push(words);
    const attempts = await sandbox.resendEvent(id, {webhook, signal: context.signal, onListenerCode: tell});
    await this.printDone(resultOfRecords(ATTEMPT, attempts, {columns: COLUMNS}));
    for (const words of notes) context.io.note(words);
    const [failed, ...others] = attempts.filter(({outcome}) => outcome !== 'delivered');
    if (!failed) return;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const {endpoints} = await context.deliveries();
    const isStopped = failed.status === null && !endpoints.isRunning(failed.url, context.isAlive);
    const listener = isStopped ? endpoints.nameOfUrl(failed.url) : undefined;
    const answer = failed.status === null ? `No answer: ${failed.error}.` : `It answered ${failed.status}.`;
    throw new CentavoError('condition_unmet', `${id} was not accepted by ${failed.url}${more}.`, {
      code: 'not_delivered',
      why: listener ? 'This is a listener that is not running.' : answer,
      ...(listener && {
        hint: `To start it: ${inProject(context, listenCommand(listener, (await targetReader(context))(listener)))}`,
      }),
    });
  }
}
