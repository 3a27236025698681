// `centavo webhooks replay`: resends stored deliveries to an app, with the original or a new signature.

import {ACCOUNT_EXITS, BaseCommand, type FlagsOf, severalWords} from '../../cli/base.js';
import {resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Flags} from '../../cli/oclif.js';
import {idsOfInput} from '../../cli/references/references.js';
import {CentavoError, refusedError, usageError} from '../../common/errors.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/receive/delivery.js';
import {deliveryQuery, findDelivery, response} from './shared/deliveries.js';
import {formatRefusal, wasAccepted} from './shared/delivery-lines.js';
import {folderName, forwardFlag} from './shared/endpoint.js';
import {readSecret} from './shared/secrets.js';

const REPLAY = schema.record({
  delivery: schema.text,
  event: schema.nullable(schema.text),
  target: schema.text,
  answer: schema.nullable<number | string>({type: ['string', 'integer']}),
  milliseconds: schema.integer,
  accepted: schema.boolean,
  response: schema.nullable(response),
  likely_cause: schema.nullable(schema.text),
});
const COLUMNS = ['delivery', 'event', 'target', 'answer', 'milliseconds'];
const AT_TERMINAL = {event: 1, answer: 2, delivery: 3, milliseconds: {header: 'ms', rank: 4}, target: 5};

export class ReplayCommand extends BaseCommand {
  static override summary = 'Resend deliveries to your app.';
  static override description =
    'centavo resends the bytes as they arrived. A signature is stale if it is too old, or made with a secret that the app does not have. centavo signs such a delivery again, with the secret of its listener or of this folder’s listener (see `webhooks secret`). To always keep the signature, use --signature exact. To sign with another secret, use --signature resign with the secret on stdin.';
  static override examples = [
    '<%= config.bin %> webhooks replay dlv_3Vt8 --forward-to 3000',
    '<%= config.bin %> webhooks replay evt_3Vt8',
    '<%= config.bin %> webhooks replay --failed --forward-to 3000/webhooks',
    '<%= config.bin %> webhooks replay --since 2026-11-20T00:00:00+08:00 --forward-to 3000 --signature resign --secret-stdin < secret.txt',
  ];
  static override usage = 'webhooks replay [id...] [flags]';
  static override args = {
    id: severalWords({
      description: 'Ids of the deliveries, or of their events; - for ids on stdin.',
      helpValue: '<dlv_…>',
    }),
  };
  static override flags = {
    'forward-to': Flags.string({
      summary: 'Your app: 3000, 3000/path, host:port/path or a URL. Default: the previous target.',
      helpValue: '<target>',
    }),
    'forward-remote': Flags.boolean({summary: 'Allow an app on another machine.'}),
    since: Flags.string({summary: 'Resend all deliveries received since this time.', helpValue: '<date>'}),
    failed: Flags.boolean({summary: 'Resend all deliveries that your app has not accepted.'}),
    type: Flags.string({summary: 'Only events of this type.', helpValue: '<pattern>'}),
    limit: Flags.string({summary: 'Maximum number to resend, newest first.', helpValue: '<number>', default: '100'}),
    signature: Flags.string({
      summary: 'Keep the original signature unless it is stale, always keep it, or sign again.',
      options: ['original', 'exact', 'resign'],
      default: 'original',
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the signing secret from stdin.'}),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found', 'condition_unmet'] as const;
  static output = () => schema.page(REPLAY);

  async run(): Promise<void> {
    const {flags, args} = await this.read(ReplayCommand);
    const {context} = this;
    const library = await context.webhooks();
    const store = await context.deliveries();
    const readTarget = (typed: string): URL =>
      valueOrThrow(library.readTarget(typed, {allowRemote: flags['forward-remote']}));
    if ((flags.signature === 'resign') !== Boolean(flags['secret-stdin'])) {
      throw usageError('invalid_flag', '--signature resign and --secret-stdin must be used together.');
    }
    if (isStdin(args.id) && flags['secret-stdin'])
      throw usageError('invalid_flag', 'ids and the secret cannot both be read from stdin.', {
        hint: 'Give the ids after the command.',
      });
    const resignWith = flags['secret-stdin'] ? await readSecret(context) : undefined;
    const deliveries = await this.selectDeliveries(args.id, flags);
    const replays = [...new Map(deliveries.map((delivery) => [delivery.id, delivery])).values()].map((delivery) => {
      const {forwards} = store;
      const [pending, ...others] = forwards.pendingTargets(delivery.id);
      const lastTarget = () =>
        forwards.attempts(delivery.id).at(-1)?.target ?? (others.length > 0 ? undefined : pending);
      const where = flags['forward-to'] ?? lastTarget();
      if (where !== undefined) return {delivery, target: readTarget(where)};
      throw usageError('missing_flag', '--forward-to is missing.', {
        why: `${delivery.id} was not forwarded before.`,
        hint: `For example: ${forwardFlag(pending)}`,
      });
    });
    if (flags['dry-run']) {
      for (const {delivery, target} of replays)
        context.io.note(`${delivery.id} ${delivery.event.type ?? ''} would go to ${target.href}`);
      return;
    }
    const forwarder = new library.Forwarder({
      targets: [],
      store,
      ...(flags.signature === 'original' && {
        secretOf: (delivery) => store.endpoints.secretOf(delivery, folderName()),
      }),
      now: context.nowMilliseconds,
      random: context.random,
    });
    const answers = new Map<string, ReturnType<typeof rowOf>>();
    try {
      // Replay in order of arrival.
      for (const {delivery, target} of replays) {
        const attempt = await forwarder.replay(delivery, target, resignWith);
        answers.set(delivery.id, rowOf(delivery, attempt));
        if (!wasAccepted(attempt)) context.io.note(`${delivery.id}: ${formatRefusal(attempt)}`, {style: 'red'});
      }
    } finally {
      await forwarder.close();
    }
    const rows = deliveries.map(({id}) => answers.get(id)!);
    await this.print(
      resultOfRecords(REPLAY, rows, {columns: COLUMNS, atTerminal: AT_TERMINAL, empty: 'No deliveries found.'}),
    );
    const failures = [...answers.values()].filter(({accepted}) => !accepted).length;
    if (failures > 0)
      throw new CentavoError('condition_unmet', `${failures} of ${answers.size} were not accepted.`, {
        code: 'not_accepted',
      });
  }

  private async selectDeliveries(words: readonly string[] | undefined, flags: FlagsOf<typeof ReplayCommand>) {
    const store = await this.context.deliveries();
    const bulk = flags.since !== undefined || flags.failed;
    if (words !== undefined && bulk)
      throw usageError('invalid_flag', 'ids cannot be combined with --since or --failed.');
    const ids = isStdin(words) ? idsOfInput(await this.context.readInput()) : words;
    if (ids !== undefined) {
      const named: Delivery[] = [];
      for (const id of ids) named.push(assertGenuine(await findDelivery(this.context, id)));
      return named;
    }
    if (!bulk)
      throw usageError('missing_argument', 'no deliveries are given.', {
        hint: 'Give ids, --failed, or --since 2026-11-20T00:00:00+08:00',
      });
    const {limit, ...query} = deliveryQuery(flags, this.context);
    const found = store.list({...query, limit: limit + 1});
    if (found.length > limit)
      this.context.io.note(
        `Only the newest ${limit} are resent. To list older deliveries: centavo webhooks deliveries list --before ${found[limit - 1]!.id}`,
        {warns: true},
      );
    return found
      .slice(0, limit)
      .filter(({duplicateOf, verdict}) => duplicateOf === undefined && verdict.genuine)
      .reverse();
  }
}

const isStdin = (words: readonly string[] | undefined): boolean => words?.length === 1 && words[0] === '-';

/** Refuses a delivery accepted with --skip-verify: replaying could sign a forged event. */
function assertGenuine(delivery: Delivery): Delivery {
  if (delivery.verdict.genuine) return delivery;
  throw refusedError('not_genuine', `${delivery.id} is not genuine, so it is not sent to your app.`, {
    why: `Verdict: ${delivery.verdict.reason}.`,
  });
}

const rowOf = (delivery: Delivery, attempt: ForwardAttempt) => ({
  delivery: delivery.id,
  event: delivery.event.type ?? null,
  target: attempt.target,
  answer: attempt.status ?? attempt.error ?? null,
  milliseconds: Math.round(attempt.durationMs),
  accepted: wasAccepted(attempt),
  response: attempt.response ?? null,
  likely_cause: attempt.likelyCause ?? null,
});
