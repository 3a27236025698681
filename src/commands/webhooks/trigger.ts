// `centavo webhooks trigger <event>`: causes an event. In the sandbox by real objects; on a real account by a signed imitation, which is said.

import {Args, Flags} from '@oclif/core';
import {operations, shapeOfId} from '../../api/registry.js';
import {CentavoError, usageError} from '../../errors.js';
import {parseData} from '../../input/pairs.js';
import {BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {checkEventName, unknownEventNote} from '../../cli/references.js';
import {guardKey} from '../../guard/guard.js';
import {readSecret} from './secrets.js';

const COLUMNS = [
  {path: 'id', header: 'id', kind: 'text' as const},
  {path: 'type', header: 'type', kind: 'text' as const},
  {path: 'object', header: 'object', kind: 'text' as const},
  {path: 'source', header: 'source', kind: 'text' as const},
  {path: 'status', header: 'answer', kind: 'text' as const},
];

export class TriggerCommand extends BaseCommand {
  static override summary = 'Cause an event.';
  static override description =
    'In the sandbox what causes the event is really done, so that its ids can be looked up afterwards, and it goes to the webhooks that subscribe to it.\n\n' +
    'On a real account nothing can be caused: an event is made and signed here, and sent to --to. It says so.';
  static override examples = [
    '<%= config.bin %> webhooks trigger payment_intent.succeeded',
    '<%= config.bin %> webhooks trigger billing_statement.paid --set amount=500000 --set metadata[order]=1042',
    '<%= config.bin %> webhooks trigger billing_statement.paid --from bstm_7Hq2',
    '<%= config.bin %> webhooks trigger billing_statement.paid --from bstm_7Hq2 --to http://localhost:3000/hook --secret-stdin < secret.txt',
  ];
  static override usage = 'webhooks trigger <event> [flags]';
  static override args = {event: Args.string({description: 'Kind of event: billing_statement.paid.'})};
  static override flags = {
    set: Flags.string({
      summary: 'What the objects are to be like: amount=125050, description=…, metadata[k]=v, customer[name]=….',
      helpValue: '<path=value>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    from: Flags.string({summary: 'An object that is there, instead of a new one.', helpValue: '<id>'}),
    to: Flags.string({
      summary: 'Send a signed imitation to this URL instead.',
      helpValue: '<url>',
      dependsOn: ['secret-stdin'],
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the secret to sign with from stdin.'}),
    'unknown-events': Flags.boolean({
      summary: 'Accept an event that looks misspelt; for --to.',
    }),
  };

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(TriggerCommand);
    const type = args.event;
    if (!type)
      throw usageError('the kind of event is missing.', {
        code: 'missing_argument',
        hint: 'For example: centavo webhooks trigger billing_statement.paid',
      });
    const set = parseData((flags.set ?? []) as string[], '--set');
    const from = flags.from;
    const {mode} = await this.context.connection();
    const unknown = flags['unknown-events']
      ? undefined
      : checkEventName(type, {otherwise: () => 'To imitate a new event with --to, add --unknown-events.'});
    if (unknown) this.context.io.note(unknownEventNote(unknown));
    if (flags.to !== undefined) {
      if (!flags['dry-run']) return this.imitate(type, set, from, flags.to);
      return void this.context.io.note(`Nothing was sent: an imitation of ${type} would go to ${flags.to}.`);
    }
    if (mode !== 'sandbox') {
      throw usageError('on a real account events cannot be caused, only imitated.', {
        code: 'missing_flag',
        hint: 'Say where to send one: --to http://localhost:3000/hook --secret-stdin',
      });
    }
    if (isDryRun(this.context, flags, `cause ${type} in the sandbox`)) return undefined;
    const sandbox = await this.context.sandbox();
    const event = sandbox.trigger(type, {from, set});
    const {data} = event as unknown as {data: {id: string}};
    return this.show({id: event.id, type, object: data.id, source: 'sandbox', status: null}, event);
  }

  private async imitate(
    type: string,
    set: Record<string, unknown>,
    from: string | undefined,
    to: string,
  ): Promise<unknown> {
    const {context} = this;
    const [{mode}, webhooks, secret] = [
      await context.connection(),
      await context.webhooks(),
      await readSecret(context),
    ];
    const target = webhooks.parseTarget(to, {allowRemote: true});
    const base = from ? await this.objectOf(from) : ((await this.sample(type)).data as object);
    const data = webhooks.mergeInto(base as Record<string, unknown>, set);
    const signedMode = mode === 'live' ? 'live' : 'test';
    const body = webhooks.syntheticBody({
      type,
      data,
      mode: signedMode,
      now: context.now(),
      token: context.token(32),
    });
    const sent = await webhooks.postSigned(target.href, {
      body,
      secret,
      mode: signedMode,
      now: context.now(),
      timeout: 30_000,
      clock: context.nowMilliseconds,
    });
    context.io.note('An imitation: made and signed here, not sent by the service.');
    const event = JSON.parse(Buffer.from(body).toString('utf8')) as {id: string};
    await this.show(
      {
        id: event.id,
        type,
        object: (data as {id?: string}).id ?? null,
        source: 'imitation',
        status: sent.status ?? sent.error ?? null,
      },
      {event, ...sent},
    );
    if (sent.status === undefined || sent.status >= 300) {
      throw new CentavoError(
        'condition_unmet',
        sent.error === undefined ? `${to} answered ${sent.status}.` : `${to}: ${sent.error}.`,
        {code: 'not_accepted'},
      );
    }
    return event;
  }

  /** An event of this kind as the sandbox would cause it: a throw-away one in memory. */
  private async sample(type: string) {
    return (await this.context.sandbox()).sampleEvent(type);
  }

  private async objectOf(id: string): Promise<object> {
    const shape = shapeOfId(id);
    const found =
      shape && operations.find(({resource, verb}) => verb === 'get' && resource.shape.prefix === shape.prefix);
    if (!found) throw usageError(`${JSON.stringify(id)} cannot be got from the API.`, {code: 'invalid_id'});
    guardKey(await this.context.connection(), found.id);
    const client = await this.context.client();
    return (await client.perform({...found, ids: [id], params: {}}, {signal: this.context.signal})) as object;
  }

  private async show(row: Record<string, unknown>, document: unknown): Promise<unknown> {
    await this.print({rows: [row], document, columns: COLUMNS, all: COLUMNS, shape: 'one'});
    return document;
  }
}
