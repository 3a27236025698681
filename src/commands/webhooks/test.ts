// `centavo webhooks test <url>`: tests a webhook handler with duplicates, forgeries and unknown events.

import {ACCOUNT_EXITS, BaseCommand, type FlagsOf, forceFlag, requiredArgument} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecords} from '../../cli/records.js';
import {
  integerSchema,
  listSchema,
  nullableSchema,
  recordSchema,
  status,
  textSchema,
  titledSchema,
} from '../../cli/schema.js';
import {Args, Flags, repeatable} from '../../cli/oclif.js';
import type {UserFile} from '../../context/context.js';
import {WEBHOOK_SECRET_VARIABLE} from '../../common/environment.js';
import {CentavoError, usageError} from '../../common/errors.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {readData} from '../../input/pairs.js';
import {oneLineText, toJson} from '../../output/format.js';
import type {ConformanceReport} from '../../webhooks/conformance/report.js';
import {readSecrets} from './shared/secrets.js';

/** Seconds. */
const DEFAULT_TIMEOUT = 10;
/** Letters and digits of an event's id, after `evt_`. */
const EVENT_TOKEN_LENGTH = 24;

const CASE = recordSchema({
  case: textSchema,
  result: status,
  sent: textSchema,
  expected: textSchema,
  came: textSchema,
  faults: listSchema(textSchema),
  effects: nullableSchema(integerSchema),
  duration_ms: titledSchema('milliseconds', integerSchema),
});
const REPORT = recordSchema({
  url: textSchema,
  mode: textSchema,
  event: textSchema,
  passed: integerSchema,
  failed: integerSchema,
  duration_ms: integerSchema,
  cases: listSchema(CASE),
});

export class TestCommand extends BaseCommand {
  static override summary = 'Test your webhook handler.';
  static override description =
    `centavo creates and signs the test events with the secret that your handler uses. Set it in ${WEBHOOK_SECRET_VARIABLE}, or pass it in the first line of stdin with --secret-stdin. Your handler must accept genuine events (2xx) and refuse forged ones (400, 401, 403 or 422).\n\n` +
    'To check that your app acts on an event once, and never on a forged one, use --state-command. The command prints, as one whole number, how many events of the --event type your app has acted on. It runs before and after each case, without a shell and without the secret.\n\n' +
    'The exit code is 0 if every case passes, and 6 if one fails.';
  static override examples = [
    '<%= config.bin %> webhooks test 3000/webhooks',
    '<%= config.bin %> webhooks test 3000/hook --secret-stdin --state-command "node count-orders.js" < secret.txt',
    '<%= config.bin %> webhooks test 3000/hook --only valid,duplicate --event payment_intent.succeeded --set metadata[order]=1042',
    '<%= config.bin %> webhooks test 3000/hook --report junit --report-file handler.xml',
  ];
  static override args = {
    url: Args.string({description: 'URL of the handler: 3000/hook, localhost:3000/hook, or a full URL.'}),
  };
  static override flags = {
    'secret-stdin': Flags.boolean({summary: 'Read the secret from the first line of stdin.'}),
    mode: Flags.option({summary: 'Mode to sign in.', options: ['test', 'live'] as const, default: 'test'})(),
    event: Flags.option({
      summary: 'Type of event that your app acts on.',
      options: ['billing_statement.paid', 'payment_intent.succeeded'] as const,
      default: 'billing_statement.paid',
    })(),
    set: Flags.string({
      summary: 'Set a field of each event’s object: amount=125050, metadata[order]=1042.',
      helpValue: '<path=value>',
      ...repeatable,
    }),
    'state-command': Flags.string({
      summary: 'Command that prints how many of these events your app has acted on.',
      helpValue: '<command>',
    }),
    only: Flags.string({summary: 'Run only these cases.', helpValue: '<case,…>', ...repeatable}),
    report: Flags.string({summary: 'Write a report to --report-file, or to stdout.', options: ['junit', 'json']}),
    'report-file': Flags.string({summary: 'File for the report.', helpValue: '<file>', dependsOn: ['report']}),
    force: forceFlag,
    'allow-remote': Flags.boolean({summary: 'Allow a handler on another machine.'}),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'condition_unmet', 'unavailable'] as const;
  static output = () => REPORT;

  async run(): Promise<void> {
    const {flags, args} = await this.read(TestCommand);
    const {context} = this;
    const example = 'centavo webhooks test http://localhost:3000/webhooks/payrex';
    const handler = requiredArgument(args.url, 'the URL of the handler', example);
    const library = await context.webhooks();
    const url = valueOrThrow(library.readHandler(handler, {allowRemote: flags['allow-remote']}));
    const cases = library.chosenCases(namesIn(flags.only));
    const set = valueOrThrow(readData(flags.set ?? []), '--set');
    const timeout = (context.flags.timeout ?? DEFAULT_TIMEOUT) * 1000;
    const stateCommand = flags['state-command'];
    const counting = {host: context.host, timeout, signal: context.signal};
    const countEffects =
      stateCommand === undefined
        ? undefined
        : library.effectCounter({words: valueOrThrow(library.readStateCommand(stateCommand)), ...counting});
    const secret = await this.secretOf(flags, library.isUsableSecret);
    const {force, 'report-file': path} = flags;
    // Readable by other users, such as a CI server.
    const writeOptions = {flag: '--report-file', force, mode: 0o666};
    const file = path === undefined ? undefined : await context.fileToWrite(path, writeOptions);

    const count = cases.length === 1 ? 'one case' : `${cases.length} cases`;
    if (isDryRun(context, flags, `try ${count} on ${url.href}`)) return;
    const {now, signal} = context;
    const report = await library.runConformance({
      url,
      secret,
      mode: flags.mode,
      type: flags.event,
      set,
      cases,
      timeout,
      now,
      countEffects,
      signal,
      token: () => context.token(EVENT_TOKEN_LENGTH),
      onCase: ({case: name, faults}) => {
        for (const fault of faults) context.io.note(oneLineText(`${name}: ${fault}`), {style: 'red'});
      },
    });
    await this.show(report, flags.report, file, library.junitReport);
    if (report.failed > 0) throw failed(report, stateCommand);
  }

  private async secretOf(flags: FlagsOf<typeof TestCommand>, isUsable: (secret: unknown) => boolean): Promise<string> {
    const [secret] = (await readSecrets(this.context, flags)).secrets;
    if (isUsable(secret!.value)) return secret!.value;
    throw usageError(
      'invalid_secret',
      `${secret!.name} cannot be used to sign: it is blank, too short, or contains white space.`,
      {hint: 'Use the webhook’s secret, whsk_…, and give your handler the same one.'},
    );
  }

  private async show(
    report: ConformanceReport,
    format: string | undefined,
    file: UserFile | undefined,
    junitReport: (report: ConformanceReport, at: number) => string,
  ): Promise<void> {
    const {context} = this;
    const text = format === 'junit' ? junitReport(report, context.now()) : `${toJson(report, 2)}\n`;
    if (format && file === undefined) return context.io.out(text);
    await file?.write([context.io.redact(text)]);
    const shown = report.cases.map((each) => ({...each, faults: each.faults.join('; ')}));
    const columns = ['case', 'result', 'came', 'expected'];
    return this.print(resultOfRecords(CASE, report.cases, {shown, document: report, columns}));
  }
}

const namesIn = (texts: readonly string[] | undefined): string[] | undefined =>
  texts?.flatMap((text) => text.split(',')).map((name) => name.trim());

function failed({cases, failed: count}: ConformanceReport, stateCommand: string | undefined): CentavoError {
  const names = cases.flatMap((each) => (each.result === 'failed' ? each.case : []));
  return new CentavoError('condition_unmet', `${count} of ${cases.length} cases failed.`, {
    code: 'handler_failed',
    why: `${names.join(', ')}.`,
    ...(!stateCommand && {hint: 'To also check how often your app acted on each event, add --state-command.'}),
  });
}
