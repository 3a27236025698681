// `centavo webhooks test <url>`: tests a webhook handler with duplicates, forgeries and unknown events.

import {ACCOUNT_EXITS, BaseCommand, type FlagsOf, forceFlag, requiredArgument} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args, Flags, repeatable} from '../../cli/oclif.js';
import type {UserFile} from '../../context/context.js';
import {APP_SECRET_VARIABLE, WEBHOOK_SECRET_VARIABLE} from '../../common/environment.js';
import {CentavoError, usageError} from '../../common/errors.js';
import type {JsonObject} from '../../common/json.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {readData} from '../../input/pairs.js';
import {oneLineText, toJson} from '../../output/format.js';
import {isForPeople} from '../../output/render.js';
import type {ConformanceReport} from '../../webhooks/conformance/report.js';
import type {NamedSecret} from '../../webhooks/signature/diagnosis.js';
import {endpointOf} from './shared/endpoint.js';
import {readSecretLine} from './shared/secrets.js';

/** Seconds. */
const DEFAULT_TIMEOUT = 10;
/** Letters and digits of an event's id, after `evt_`. */
const EVENT_TOKEN_LENGTH = 24;

const CASE = schema.record({
  case: schema.text,
  result: schema.status,
  ...schema.fieldsNamed('looked_at sent expected came', schema.text),
  faults: schema.list(schema.text),
  cure: schema.nullable(schema.text),
  reason: schema.nullable(schema.text),
  effects: schema.nullable(schema.integer),
  duration_ms: schema.titled('milliseconds', schema.integer),
});
const REPORT = schema.record({
  ...schema.fieldsNamed('url mode signed_with event', schema.text),
  ...schema.fieldsNamed('passed failed not_checked duration_ms', schema.integer),
  cases: schema.list(CASE),
});

export class TestCommand extends BaseCommand {
  static override summary = 'Test your webhook handler.';
  static override description =
    `centavo creates and signs the test events with the secret that your handler uses: the first line of stdin with --secret-stdin, or ${WEBHOOK_SECRET_VARIABLE}, or ${APP_SECRET_VARIABLE}. Your handler must accept genuine events (2xx) and refuse forged ones (400, 401, 403 or 422).\n\n` +
    `A case is passed, failed or not checked. The case valid always runs first. If your handler refuses it, centavo looks for the reason and checks nothing else. A cause is reported once, with its fix.\n\n` +
    `Duplicates and late events are checked only if effects are counted. Answer each event with the header x-acted: 1 if your app acted on it, and 0 if not. Or use --state-command: it prints, as one whole number, how many events of the --event type your app has acted on. It runs before and after each case, without a shell and without ${WEBHOOK_SECRET_VARIABLE}.\n\n` +
    'The exit code is 6 if a case fails, and otherwise 0, also if cases were not checked.';
  static override examples = [
    '<%= config.bin %> webhooks test 3000/webhooks',
    '<%= config.bin %> webhooks secret | <%= config.bin %> webhooks test 3000/hook --secret-stdin',
    '<%= config.bin %> webhooks test 3000/hook --state-command "node count-orders.js"',
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
    only: Flags.string({summary: 'Run only these cases, and valid.', helpValue: '<case,…>', ...repeatable}),
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
    const {name: secretName, value: secret} = await this.secretOf(flags, library.isUsableSecret);
    const {force, 'report-file': path} = flags;
    // Readable by other users, such as a CI server.
    const writeOptions = {flag: '--report-file', force, mode: 0o666};
    const file = path === undefined ? undefined : await context.fileToWrite(path, writeOptions);

    const count = cases.length === 1 ? 'one case' : `${cases.length} cases`;
    if (isDryRun(context, flags, `try ${count} on ${url.href}`)) return;
    if (secretName.endsWith(APP_SECRET_VARIABLE)) context.io.note(`Signing with ${secretName}.`, {style: 'dim'});
    const {now, signal} = context;
    const report = await library.runConformance({
      url,
      secret,
      secretName,
      otherSecrets: () => this.otherSecrets(),
      mode: flags.mode,
      type: flags.event,
      data: (await (await context.sandbox()).sampleEvent(flags.event)).data as JsonObject,
      set,
      cases,
      timeout,
      now,
      countEffects,
      signal,
      token: () => context.token(EVENT_TOKEN_LENGTH),
    });
    await this.show(report, flags.report, file, library.junitReport);
    // Below the table, which may be longer than the screen.
    for (const {case: name, faults, cure} of report.cases) {
      if (faults.length > 0) context.io.note(oneLineText(`${name}: ${faults[0]}`), {style: 'red'});
      if (cure !== null) context.io.note(oneLineText(cure));
    }
    const hint = howToCheck(report, library.NOT_COUNTED);
    if (report.failed > 0) throw failed(report, hint);
    if (hint) context.io.note(hint);
  }

  private async secretOf(
    flags: FlagsOf<typeof TestCommand>,
    isUsable: (secret: unknown) => boolean,
  ): Promise<NamedSecret> {
    const {secret} = await readSecretLine(this.context, flags);
    if (isUsable(secret.value)) return secret;
    throw usageError(
      'invalid_secret',
      `${secret.name} cannot be used to sign: it is blank, too short, or contains white space.`,
      {hint: 'Use the webhook’s secret, whsk_…, and give your handler the same one.'},
    );
  }

  /** Returns secrets that the app may have instead. */
  private async otherSecrets(): Promise<NamedSecret[]> {
    const {context} = this;
    const others = [WEBHOOK_SECRET_VARIABLE, APP_SECRET_VARIABLE].map((name) => ({
      name: `the secret in ${name}`,
      value: context.env[name] ?? '',
    }));
    try {
      const {endpoints} = await context.deliveries();
      const {secret = ''} = endpoints.find(await endpointOf(context, undefined)) ?? {};
      others.push({name: 'the secret of this folder’s listener', value: secret});
    } catch {
      // The test works without a listener.
    }
    for (const {value} of others) context.io.addSecret(value, 'webhook secret');
    return others;
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
    const isTable = isForPeople(this.rendering, context.io);
    const rows = isTable ? report.cases.filter(({looked_at}) => looked_at !== '') : report.cases;
    const unsent = report.cases.length - rows.length;
    const others = unsent === 1 ? 'other case was' : `other ${unsent} cases were`;
    const below = unsent === 0 ? [] : [`The ${others} not sent.`];
    const shown = rows.map((each) => ({
      ...each,
      faults: each.faults.join('; '),
      came: [each.came, ...(each.reason === null ? [] : [each.reason])].join('; '),
    }));
    const atTerminal = ['case', 'result', 'came', 'looked_at'];
    const columns = [...atTerminal, 'expected'];
    return this.print(resultOfRecords(CASE, rows, {shown, document: report, columns, atTerminal, below}));
  }
}

const namesIn = (texts: readonly string[] | undefined): string[] | undefined =>
  texts?.flatMap((text) => text.split(',')).map((name) => name.trim());

function howToCheck({cases}: ConformanceReport, reason: string): string {
  const names = cases.filter((each) => each.reason === reason).map((each) => each.case);
  const list = new Intl.ListFormat('en-GB').format(names);
  return names.length === 0 ? '' : `To check ${list}, answer with x-acted: 1 or 0, or add --state-command.`;
}

function failed({cases, failed: count, not_checked: unchecked}: ConformanceReport, hint: string): CentavoError {
  const names = cases.flatMap((each) => (each.result === 'failed' ? each.case : []));
  const others = unchecked === 0 ? '' : `, and ${unchecked} not checked`;
  return new CentavoError('condition_unmet', `${count} of ${cases.length} cases failed${others}.`, {
    code: 'handler_failed',
    why: `${names.join(', ')}.`,
    ...(hint && {hint}),
  });
}
