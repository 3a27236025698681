// `centavo webhooks verify`: verifies the signature of a delivery, and explains a failure.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args, Flags, repeatable} from '../../cli/oclif.js';
import {APP_SECRET_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../../common/environment.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {readDate} from '../../input/dates.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {readDuration} from '../../input/quantities.js';
import {isoTime} from '../../output/format.js';
import type {Delivery} from '../../webhooks/receive/delivery.js';
import type {SignatureDiagnosis} from '../../webhooks/signature/diagnosis.js';
import {findDelivery} from './shared/deliveries.js';
import {folderName} from './shared/endpoint.js';
import {readSecretLine} from './shared/secrets.js';

const VERDICT = schema.record({
  genuine: schema.boolean,
  reason: schema.nullable(schema.text),
  mode: schema.nullable(schema.text),
  secret_index: schema.nullable(schema.integer),
  timestamp: schema.nullable(schema.integer),
  skew_seconds: schema.nullable(schema.titled('seconds ago', schema.integer)),
  explanation: schema.text,
  hint: schema.nullable(schema.text),
});

export class VerifyCommand extends BaseCommand {
  static override summary = 'Verify the signature of a delivery.';
  static override description =
    `If the delivery is not genuine, centavo explains why. Give the body exactly as it arrived, on stdin or with --body. The secret comes from ${WEBHOOK_SECRET_VARIABLE} or ${APP_SECRET_VARIABLE} or, with --secret-stdin, from the first line of stdin. The rest of stdin is then the body, unless you use --body.\n\n` +
    'For a delivery that webhooks listen received, give its id or the id of its event instead. centavo verifies it as of its arrival, with the secret of its listener unless you give another.\n\n' +
    'The exit code is 0 if the delivery is genuine, and 6 if it is not.';
  static override examples = [
    '<%= config.bin %> webhooks verify dlv_3Vt8',
    "<%= config.bin %> webhooks verify --header 'Payrex-Signature: t=1790000123,te=5f0c…,li=' < body.json",
    "<%= config.bin %> webhooks verify --secret-stdin --body body.json --header 't=1790000123,te=5f0c…,li=' --tolerance 0 < secret.txt",
  ];
  static override usage = 'webhooks verify [id] [flags] [< body]';
  static override args = {
    id: Args.string({description: 'Id of a stored delivery, or of its event.', helpValue: '<dlv_…>'}),
  };
  static override flags = {
    header: Flags.string({
      summary:
        'Signature header as it arrived, with or without its name. Other headers are ignored. Required unless you give an id.',
      helpValue: '<header>',
      ...repeatable,
    }),
    body: Flags.string({
      summary: 'File that contains the body, or - for stdin.',
      helpValue: '<file>',
      default: '-',
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the secret from the first line of stdin.'}),
    mode: Flags.option({summary: 'Accept only this mode.', options: ['test', 'live'] as const})(),
    tolerance: Flags.string({
      summary: 'Maximum age of the signature, or time in the future: 300, 5m. 0 accepts any time.',
      helpValue: '<time>',
      default: '300',
    }),
    now: Flags.string({summary: 'Time to verify at, instead of now.', helpValue: '<unix seconds>'}),
  };
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found', 'condition_unmet'] as const;
  static output = () => VERDICT;

  async run(): Promise<void> {
    const {flags, args} = await this.read(VerifyCommand);
    const {context} = this;
    const given = [flags.header && '--header', flags.body !== '-' && '--body'].filter(Boolean);
    if (args.id !== undefined && given.length > 0)
      throw usageError('invalid_flag', `an id cannot be combined with ${given.join(' and ')}.`);
    const stored = args.id === undefined ? undefined : await findDelivery(context, args.id);
    const header = signaturesIn(stored ? stored.headers.map((each) => each.join(': ')) : flags.header);
    const toleranceSeconds = valueOrThrow(readDuration(flags.tolerance), '--tolerance');
    const arrival = stored ? Math.floor(stored.receivedAt / 1000) : context.now();
    const now = flags.now === undefined ? arrival : valueOrThrow(readDate(flags.now, context.now()), '--now');
    const file = flags.body;
    if (!stored && file === '-' && context.host.stdin.isTTY)
      throw usageError('missing_body', 'the body is missing.', {hint: 'Give it with --body FILE, or on stdin.'});
    const {secret, rest} = await readSecretLine(context, flags, stored && (await this.secretOf(stored)));
    const body = stored
      ? stored.body
      : file === '-'
        ? await this.bodyAfterSecret(rest)
        : await context.readFile(file, '--body');

    const {diagnoseSignature} = await context.webhooks();
    return this.show(diagnoseSignature({body, header, secrets: [secret], now, toleranceSeconds, mode: flags.mode}));
  }

  private async secretOf(delivery: Delivery): Promise<string | undefined> {
    const {context} = this;
    const secret = (await context.deliveries()).endpoints.secretOf(delivery, folderName());
    context.io.addSecret(secret, 'webhook secret');
    return secret;
  }

  private async bodyAfterSecret(rest: Buffer | undefined): Promise<Uint8Array> {
    if (rest === undefined) return this.context.readInputBytes();
    if (rest.length > 0) return rest;
    throw usageError('missing_body', 'the body is missing after the secret on stdin.', {
      hint: 'Give it with --body FILE.',
    });
  }

  private async show(diagnosis: SignatureDiagnosis): Promise<void> {
    const {genuine, reason, timestamp, explanation, hint} = diagnosis;
    const row = {...diagnosis, signed: timestamp === null ? null : isoTime(timestamp)};
    const all = Object.keys(VERDICT.properties).flatMap((name) => (name === 'timestamp' ? [name, 'signed'] : name));
    const quiet = new Set(['timestamp', 'secret_index', ...(genuine ? [] : ['explanation', 'hint'])]);
    await this.print(resultOfRecord(VERDICT, row, {document: diagnosis, all, omitted: quiet}));
    if (!genuine)
      throw new CentavoError('condition_unmet', `the delivery is not genuine (${reason}).`, {
        code: 'not_genuine',
        why: explanation,
        hint: hint ?? undefined,
      });
  }
}

/** Returns the values of signature headers, in order. A text without a header name is a value. */
function signaturesIn(texts: readonly string[] | undefined): string[] {
  if (texts === undefined)
    throw usageError('missing_flag', '--header is missing.', {
      hint: "For example: --header 'Payrex-Signature: t=1790000123,te=5f0c…,li='",
    });
  return texts.flatMap((text) => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*?)[ \t]*$/s.exec(text) ?? [];
    if (name === undefined) return [text];
    return name.toLowerCase() === 'payrex-signature' ? [value!] : [];
  });
}
