// `centavo webhooks test <url>`: tests a webhook handler with duplicates, forgeries and unknown events.

import {Args, Flags} from '../../cli/oclif.js';
import {CentavoError, usageError} from '../../errors.js';
import {parseData} from '../../input/pairs.js';
import {clean, toJson} from '../../output/format.js';
import {localError} from '../../system-errors.js';
import type {Column} from '../../output/render.js';
import {WEBHOOK_SECRET_VARIABLE, withoutSecrets} from '../../environment.js';
import type {CaseReport, ConformanceReport} from '../../webhooks/conformance/report.js';
import {ACCOUNT_EXITS, BaseCommand, type FlagsOf, requiredArgument} from '../../cli/base.js';
import {recordColumns} from '../../cli/columns.js';
import {isDryRun} from '../../cli/dry-run.js';
import {readSecrets} from '../../cli/webhooks/secrets.js';
import {integer, list, nullable, record, text} from '../../cli/json-schema.js';

/** Seconds. */
const DEFAULT_TIMEOUT = 10;
/** Letters and digits of an event's id, after `evt_`. */
const TOKEN_LENGTH = 24;

const COLUMNS: readonly Column[] = [
  ...recordColumns(['case']),
  {path: 'result', header: 'result', kind: 'status'},
  ...recordColumns(['came', 'expected']),
];
const ALL: readonly Column[] = [
  ...COLUMNS,
  ...recordColumns(['sent', 'faults', 'effects']),
  {path: 'duration_ms', header: 'milliseconds', kind: 'text'},
];

export class TestCommand extends BaseCommand {
  static override summary = 'Test your app’s webhook handler: duplicates, forgeries, events of tomorrow.';
  static override description =
    `Events are made and signed here, with the secret that the handler is set up with: in ${WEBHOOK_SECRET_VARIABLE}, or in the first line of stdin with --secret-stdin. Some are honest and must be taken (2xx), some are forged and must be refused (400, 401, 403 or 422).\n\n` +
    'That an event was acted on once, and a forged one not at all, only your app knows: --state-command names a program that prints how many events of the kind --event the app has acted on, as one whole number. It is run without a shell, before and after each case, and does not see the secret.\n\n' +
    'Exit 0 when every case passed, 6 when one failed.';
  static override examples = [
    '<%= config.bin %> webhooks test http://localhost:3000/webhooks/payrex',
    '<%= config.bin %> webhooks test 3000/hook --secret-stdin --state-command "node count-orders.js" < secret.txt',
    '<%= config.bin %> webhooks test 3000/hook --only valid,duplicate --event payment_intent.succeeded --set metadata[order]=1042',
    '<%= config.bin %> webhooks test 3000/hook --report junit --report-file handler.xml',
  ];
  static override usage = 'webhooks test <url> [flags]';
  static override args = {url: Args.string({description: 'The handler: a URL, 3000/hook, or localhost:3000/hook.'})};
  static override flags = {
    'secret-stdin': Flags.boolean({summary: 'The first line of stdin is the secret.', exclusive: ['secret-env']}),
    'secret-env': Flags.string({
      summary: `The variable that holds the secret; ${WEBHOOK_SECRET_VARIABLE} when it is not named.`,
      helpValue: '<name>',
    }),
    mode: Flags.option({summary: 'Sign as this mode does.', options: ['test', 'live'] as const, default: 'test'})(),
    event: Flags.option({
      summary: 'The kind of event that the app acts on.',
      options: ['billing_statement.paid', 'payment_intent.succeeded'] as const,
      default: 'billing_statement.paid',
    })(),
    set: Flags.string({
      summary: 'What the object of each event is to be like: amount=125050, metadata[order]=1042.',
      helpValue: '<path=value>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'state-command': Flags.string({
      summary: 'A program that prints how many of these events the app has acted on.',
      helpValue: '<command>',
    }),
    only: Flags.string({
      summary: 'Run these cases only.',
      helpValue: '<case,…>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    report: Flags.string({summary: 'Write a report: to --report-file, or to stdout.', options: ['junit', 'json']}),
    'report-file': Flags.string({summary: 'Where the report goes.', helpValue: '<file>', dependsOn: ['report']}),
    'allow-remote': Flags.boolean({summary: 'Allow a handler on another machine.'}),
  };
  static risk = 'writes' as const;
  static exits = [...ACCOUNT_EXITS, 'condition_unmet', 'unavailable'] as const;
  static output = () =>
    record({
      url: text,
      mode: text,
      event: text,
      passed: integer,
      failed: integer,
      duration_ms: integer,
      cases: list(
        record({
          case: text,
          result: text,
          sent: text,
          expected: text,
          came: text,
          faults: list(text),
          effects: nullable(integer),
          duration_ms: integer,
        }),
      ),
    });

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(TestCommand);
    const {context} = this;
    const example = 'centavo webhooks test http://localhost:3000/webhooks/payrex';
    const handler = requiredArgument(args.url, 'the URL of the handler', example);
    const library = await context.webhooks();
    const url = library.parseHandler(handler, {allowRemote: flags['allow-remote']});
    const cases = library.chosenCases(namesIn(flags.only));
    const set = parseData(flags.set ?? [], '--set');
    const timeout = (context.flags.timeout ?? DEFAULT_TIMEOUT) * 1000;
    const stateCommand = flags['state-command'];
    const env = withoutSecrets(context.env, [flags['secret-env'] ?? WEBHOOK_SECRET_VARIABLE]);
    const counting = {host: {...context.host, env}, timeout, signal: context.signal};
    const countEffects =
      stateCommand === undefined
        ? undefined
        : library.effectCounter({words: library.parseStateCommand(stateCommand), ...counting});
    const secret = await this.secretOf(flags, library.isUsableSecret);

    const count = cases.length === 1 ? 'one case' : `${cases.length} cases`;
    if (isDryRun(context, flags, `try ${count} on ${url.href}`)) return undefined;
    const report = await library.runConformance({
      url,
      secret,
      mode: flags.mode,
      type: flags.event,
      set,
      cases,
      timeout,
      now: context.now,
      token: () => context.token(TOKEN_LENGTH),
      countEffects,
      signal: context.signal,
      onCase: (each) => this.noteFaults(each),
    });
    await this.show(report, flags, library.junitReport);
    if (report.failed > 0) throw failed(report, stateCommand);
    return report;
  }

  private async secretOf(flags: FlagsOf<typeof TestCommand>, isUsable: (secret: unknown) => boolean): Promise<string> {
    const variable = flags['secret-env'];
    const sources = {'secret-stdin': flags['secret-stdin'], 'secret-env': variable ? [variable] : undefined};
    const [secret] = (await readSecrets(this.context, sources)).secrets;
    if (isUsable(secret!.value)) return secret!.value;
    throw usageError(`${secret!.name} cannot sign: it is blank, too short, or has white space in it.`, {
      code: 'invalid_secret',
      hint: 'Give it as the webhook shows it, whsk_…, and set the handler up with the same.',
    });
  }

  private noteFaults({case: name, faults}: CaseReport): void {
    const {io} = this.context;
    for (const fault of faults) io.note(io.paint('red', clean(`${name}: ${fault}`), 'stderr'));
  }

  private async show(
    report: ConformanceReport,
    flags: FlagsOf<typeof TestCommand>,
    junitReport: (report: ConformanceReport, at: number) => string,
  ): Promise<void> {
    const {context} = this;
    const file = flags['report-file'];
    const text = flags.report === 'junit' ? junitReport(report, context.now()) : `${toJson(report, 2)}\n`;
    if (flags.report && file === undefined) return context.io.out(text);
    if (file !== undefined) this.writeReport(file, text);
    return this.print({
      rows: report.cases.map((each) => ({...each, faults: each.faults.join('; ')})),
      document: report,
      columns: COLUMNS,
      all: ALL,
      shape: 'many',
    });
  }

  private writeReport(path: string, text: string): void {
    try {
      this.context.writeFile(path, this.context.io.redact(text));
    } catch (error) {
      throw localError(`the report could not be written to ${path}.`, error, {applied: undefined});
    }
  }
}

const namesIn = (texts: readonly string[] | undefined): string[] | undefined =>
  texts?.flatMap((text) => text.split(',')).map((name) => name.trim());

const failed = ({cases, failed: count}: ConformanceReport, stateCommand: string | undefined): CentavoError =>
  new CentavoError('condition_unmet', `${count} of ${cases.length} cases failed.`, {
    code: 'handler_failed',
    why: `${cases
      .filter(({result}) => result === 'failed')
      .map((each) => each.case)
      .join(', ')}.`,
    hint: stateCommand === undefined ? 'With --state-command it is also seen how often the app acted.' : undefined,
  });
