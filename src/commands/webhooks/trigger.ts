// `centavo webhooks trigger <event>`: triggers an event in the sandbox, or sends a signed imitation.

import {getterOf, shapeOfId} from '../../api/registry.js';
import {BaseCommand, CALL_EXITS, requiredArgument} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args, Flags, repeatable} from '../../cli/oclif.js';
import {eventNameError, isKnownEvent, unknownEventNote} from '../../cli/operations/event-names.js';
import {resolvePayment} from '../../cli/references/payments-named.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {guardConnection} from '../../guard/guard.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {isStatementNumber} from '../../input/names.js';
import {readData} from '../../input/pairs.js';
import type {ResultRow} from '../../output/result.js';
import {readSecret} from './shared/secrets.js';

/** Fields of the text output. JSON has the event. */
const SUMMARY = schema.record({
  id: schema.text,
  type: schema.text,
  object: schema.anything,
  source: schema.text,
  status: schema.titled('answer', schema.anything),
});

/** Events that never come alone, and the event that the same action always causes. */
export const SENT_WITH: Readonly<Record<string, string>> = {'billing_statement.paid': 'payment_intent.succeeded'};

export class TriggerCommand extends BaseCommand {
  static override summary = 'Trigger a webhook event.';
  static override description =
    'In the sandbox, centavo performs the actions that cause the event, so its ids exist afterwards. The event goes to every webhook that subscribes to it, and so do the other events of these actions. A note names the event that always comes with it.\n\n' +
    'On a real account, events cannot be triggered. centavo creates and signs an imitation, and sends it to the URL given with --to.';
  static override examples = [
    '<%= config.bin %> webhooks trigger refund.created',
    '<%= config.bin %> webhooks trigger billing_statement.paid --set amount=500000 --set metadata[order]=1042',
    '<%= config.bin %> webhooks trigger billing_statement.paid --from bstm_7Hq2',
    '<%= config.bin %> webhooks trigger billing_statement.paid --from bstm_7Hq2 --to http://localhost:3000/hook --secret-stdin < secret.txt',
  ];
  static override args = {
    event: Args.string({description: 'Type of event, such as billing_statement.paid.', helpValue: '<event>'}),
  };
  static override flags = {
    set: Flags.string({
      summary: 'Set a field: amount=125050, description=…, metadata[k]=v, customer[name]=….',
      helpValue: '<path=value>',
      ...repeatable,
    }),
    from: Flags.string({
      summary: 'Use an existing object instead of a new one, by its id or a billing statement’s number.',
      helpValue: '<id>',
    }),
    to: Flags.string({
      summary: 'Send a signed imitation to this URL instead.',
      helpValue: '<url>',
      dependsOn: ['secret-stdin'],
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the signing secret from stdin.'}),
  };
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = [...CALL_EXITS, 'condition_unmet'] as const;
  static output = () =>
    schema.either(
      schema.objectNamed('event'),
      schema.record(
        {event: schema.objectNamed('event'), duration_ms: schema.number},
        {status: schema.integer, error: schema.text},
      ),
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(TriggerCommand);
    const {to} = flags;
    const type = requiredArgument(args.event, 'the type of event', 'centavo webhooks trigger billing_statement.paid');
    const set = valueOrThrow(readData(flags.set ?? []), '--set');
    const {mode} = await this.context.connection();
    const from =
      flags.from !== undefined && (isStatementNumber(flags.from) || flags.from.endsWith('…'))
        ? await resolvePayment(this.context, flags.from, {changes: false})
        : flags.from;
    valueOrThrow(eventNameError(type));
    if (to !== undefined && !isKnownEvent(type)) this.context.io.note(unknownEventNote(type));
    const also = SENT_WITH[type];
    if (also) this.context.io.note(`With ${type}, the service also sends ${also}.`);
    if (to !== undefined) {
      if (!flags['dry-run']) return this.sendImitation(type, set, from, to);
      return this.context.io.note(`Nothing was sent. An imitation of ${type} would go to ${to}.`);
    }
    if (mode !== 'sandbox') {
      throw usageError('missing_flag', 'on a real account, events cannot be triggered, only imitated.', {
        hint: 'Give the URL to send an imitation to: --to http://localhost:3000/hook --secret-stdin',
      });
    }
    if (isDryRun(this.context, flags, `trigger ${type} in the sandbox`)) return;
    const event = (await (await this.context.sandbox()).control()).trigger(type, {from, set});
    const {id: object} = event.data as ResultRow;
    return this.show({id: String(event.id), type, object, source: 'sandbox', status: null}, event);
  }

  private async sendImitation(type: string, set: ResultRow, from: string | undefined, to: string): Promise<void> {
    const {context} = this;
    const connection = await context.connection();
    const webhooks = await context.webhooks();
    const secret = await readSecret(context);
    const target = valueOrThrow(webhooks.readTarget(to, {allowRemote: true}));
    const data = webhooks.mergeInto(await this.objectOf(type, from), set);
    const mode = connection.mode === 'live' ? 'live' : 'test';
    const now = context.now();
    const event = webhooks.syntheticEvent({type, data, mode, now, token: context.token(32)});
    const body = Buffer.from(JSON.stringify(event));
    const sent = await webhooks.postSigned(target, {body, secret, mode, timestamp: now}, 30_000);
    context.io.note('This is an imitation: centavo created and signed it. The service did not send it.');
    const {status, error, milliseconds: duration_ms} = sent;
    await this.show(
      {id: event.id, type, object: data.id ?? null, source: 'imitation', status: status ?? error ?? null},
      {event, status, error, duration_ms},
    );
    if (status !== undefined && status < 300) return;
    const why = error === undefined ? ` answered ${status}` : `: ${error}`;
    throw new CentavoError('condition_unmet', `${to}${why}.`, {
      code: 'not_accepted',
      hint: webhooks.explainRefusal({status, error}).likelyCause,
    });
  }

  /** Returns the object with this id, or a sample from the sandbox. */
  private async objectOf(type: string, id: string | undefined): Promise<ResultRow> {
    const {context} = this;
    if (id === undefined) return (await (await context.sandbox()).sampleEvent(type)).data as ResultRow;
    const found = getterOf(shapeOfId(id)?.prefix ?? '');
    if (!found) throw usageError('invalid_id', `${JSON.stringify(id)} cannot be read from the API.`);
    guardConnection(await context.connection(), found.id);
    const client = await context.client();
    return (await client.perform({...found, ids: [id], params: {}}, {signal: context.signal})) as ResultRow;
  }

  private show(row: schema.SchemaValue<typeof SUMMARY>, document: unknown): Promise<void> {
    return this.print(resultOfRecord(SUMMARY, row, {document}));
  }
}
