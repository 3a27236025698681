// `centavo webhooks listen`: receives events on this machine, says of each whether it is genuine, and forwards it.

import {BaseCommand, CHANGE_EXITS, type FlagsOf, severalWords} from '../../../cli/base.js';
import {boolean, constant, either, integer, list, nullable, record, type Schema, text} from '../../../cli/schema.js';
import {follow} from '../../../ground/deadlines.js';
import {CentavoError, usageError, type ErrorDetails} from '../../../ground/errors.js';
import {plainChange} from '../../../guard/change.js';
import {guardChange, guardConnection} from '../../../guard/guard.js';
import {isMachine} from '../../../output/render.js';
import type {KeySource} from '../../../output/prompt/keyboard.js';
import type {ScreenOutput} from '../../../output/prompt/screen.js';
import type {AutomationOptions} from '../../../webhooks/listen/automation.js';
import type {Listening} from '../../../webhooks/listen/listener.js';
import type {ListenRecord} from '../../../webhooks/listen/listen-record.js';
import {endpointOf} from '../shared/endpoint.js';
import {attemptFields, deliveryFields} from '../shared/deliveries.js';
import {causesOnce, noteLines, printRecord, summaryLine} from '../shared/delivery-lines.js';
import {readSecret} from '../shared/secrets.js';
import type {EventScreen, EventScreenOptions} from './event-screen.js';
import {listenFlags, readListenFlags, type ListenSettings} from './flags.js';

const HEAD = {v: {const: 1}, ts: text};

/** The delivery that a record is about. */
const ABOUT = {delivery_id: text, event_id: nullable(text), event_type: nullable(text)};

const COUNTS = [
  ...['genuine', 'not_genuine', 'refused', 'filtered', 'duplicates'],
  ...['events_accepted', 'events_not_accepted', 'forwarded', 'forward_failures'],
];

/** One kind of record. */
const kind = (type: string, ...[fields, optional]: Parameters<typeof record>) =>
  record({...HEAD, type: constant(type), ...fields}, optional);

const RECORDS: Schema = {
  description: 'Each line. Fields may be added. These fields stay within a major version.',
  ...either(
    kind(
      'ready',
      {url: text, public_url: text, webhook_id: nullable(text), secret_source: text, mode: text, targets: list(text)},
      {secret: text},
    ),
    kind('delivery', {delivery_id: text, ...deliveryFields}),
    kind('forward', {...ABOUT, ...attemptFields}),
    kind('held', {...ABOUT, target: text, held_by: text, next_attempt_at: integer}),
    kind('refused', {reason: text, status: nullable(integer)}),
    kind('disconnected', {reason: text, message: text}),
    kind('reconnected', {message: text, public_url: text, webhook_id: nullable(text)}, {secret: text}),
    kind('notice', {message: text}),
    kind('summary', {...Object.fromEntries(COUNTS.map((name) => [name, integer])), webhook_left: boolean}),
  ),
};

export class ListenCommand extends BaseCommand {
  static override summary = 'Receive webhook events and forward them to your app.';
  static override description =
    'The sandbox needs no setup. With a real account, the service must be able to reach this machine: open a tunnel with --tunnel, or give your own URL with --public-url.\n\n' +
    'Path and port are the same whenever it runs in this folder, or with the same --name. In the sandbox the secret is, too, also after `sandbox reset`: `webhooks secret` prints it.\n\n' +
    'A webhook is registered while this command runs, and removed when it ends. With --keep it is disabled instead, and the next run enables it, with the same secret. If a crash leaves one behind, the next run sees to it. If the webhook is deleted, a new one is registered; on a real account it has a new secret: the env file is written again, and a program after -- is restarted. If the webhook is disabled, it is enabled again. centavo checks this every second in the sandbox, and every 30 seconds on a real account.\n\n' +
    'Deliveries are stored for seven days, and longer if your app has not answered with 2xx. Older deliveries are removed when `webhooks listen` starts.\n\n' +
    'At a terminal, press ↑↓ to select, enter for details, r to replay, / to filter and q to quit. For lines only, use --plain. With --json, each line is a record.';
  static override examples = [
    '<%= config.bin %> webhooks listen --forward-to 3000/webhooks',
    "<%= config.bin %> webhooks listen --events 'billing_statement.*' --forward-to 3000 -- npm run dev",
    '<%= config.bin %> webhooks listen --until payment_intent.succeeded --json',
    '<%= config.bin %> webhooks listen --tunnel cloudflared --forward-to 3000/hook --write-env .env.local',
  ];
  static override usage = 'webhooks listen [flags] [-- program...]';
  static override args = {
    program: severalWords({
      description: 'Program to start with the webhook secret in its environment, such as your app.',
    }),
  };
  static override flags = listenFlags;
  static risk = 'writes' as const;
  static exits = [...CHANGE_EXITS, 'condition_unmet', 'timed_out'] as const;
  static output = () => RECORDS;

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(ListenCommand);
    const {context} = this;
    const {io, host, nowMilliseconds: now, random, sleep, token} = context;
    const connection = await context.connection();
    guardConnection(connection, flags);
    this.checkGlobals(flags);
    const app = this.programWords(args.program ?? []);
    const library = await context.webhooks();
    const settings = await readListenFlags(flags, library, context, connection);
    const endpoint = {...(await endpointOf(context, flags.name)), keep: flags.keep};
    const secret = flags['secret-stdin'] ? await readSecret(context) : undefined;
    if (flags['dry-run']) return void io.note('Dry run: no webhook was registered, and nothing is received.');
    if (secret === undefined)
      await guardChange(context, flags, plainChange('webhooks listen', 'register a webhook while it listens'));

    const stopping = new AbortController();
    follow(stopping, context.signal);
    let listening: Listening | undefined;
    const onRestart = (): void => listening?.forwarder.tryNow();
    const reports = await this.openReports(flags, settings, {app, onRestart, stop: () => stopping.abort()});
    const {automation, screen, report, isLeft} = reports;
    const {timeout} = context.flags;
    const deadline = timeout === undefined ? undefined : setTimeout(() => automation.expire(), timeout * 1000);
    let sending: {stop: () => Promise<void>} | undefined;
    try {
      listening = await library.listen({
        ...settings.listen,
        endpoint,
        store: await context.deliveries(),
        report,
        now,
        random,
        sleep,
        token,
        signal: stopping.signal,
        owner: host.identity,
        isAlive: context.isAlive,
        profile: connection.profile.value,
        mode: connection.mode === 'live' ? 'live' : 'test',
        signing: secret === undefined ? {registrar: await context.registrar(settings.events)} : {secret},
      });
      // In the sandbox this process also sends the events.
      if (connection.mode === 'sandbox')
        sending = (await context.sandbox()).startDelivery({onRefused: (message) => report({type: 'notice', message})});
      screen?.open(listening.forwarder);
      const summary = await listening.done;
      await automation.end();
      screen?.close();
      if (screen) noteLines([summaryLine(summary)], io);
      automation.assertSuccess();
      return summary;
    } catch (error) {
      throw withRemoval(error, isLeft());
    } finally {
      clearTimeout(deadline);
      screen?.close();
      await automation.end();
      await sending?.stop();
    }
  }

  /** All that gets each record: the screen or the printed lines, the history, and what runs for it on this machine. */
  private async openReports(
    flags: FlagsOf<typeof ListenCommand>,
    settings: ListenSettings,
    {app, stop, onRestart}: Pick<AutomationOptions, 'app' | 'onRestart' | 'stop'>,
  ) {
    const {context} = this;
    const {io, host, nowMilliseconds: now, token} = context;
    const library = await context.webhooks();
    const audit = flags['secret-stdin'] ? undefined : await context.audit();
    const automation = new library.Automation({
      ...settings.automation,
      app,
      host,
      stop,
      onRestart,
      token,
      signal: context.signal,
      quiet: isMachine(this.rendering),
      sharesTerminal: host.stdin.isTTY === true,
      notice: (message) => report({type: 'notice', message}),
    });
    const screen = await this.openScreen(flags, app, {
      explain: library.explainReason,
      store: await context.deliveries(),
      isAlive: context.isAlive,
      targets: settings.listen.targets.map(({url}) => url),
      quit: stop,
    });
    const machine = isMachine(this.rendering);
    const once = causesOnce();
    const print = (record: ListenRecord): void => {
      if (screen) return screen.show(record);
      const printing = {machine, at: now(), explain: library.explainReason};
      printRecord(machine ? record : once(record), io, printing).then(
        // The reader of the pipe has gone.
        () => io.closed && stop(),
        (error: unknown) => automation.fail(error as CentavoError),
      );
    };
    let left = false;
    const report = (record: ListenRecord): void => {
      if (record.type === 'summary') left = record.webhook_left;
      print('secret' in record && !flags['print-secret'] ? {...record, secret: undefined} : record);
      if ('webhook_id' in record && record.webhook_id) audit?.touched(record.webhook_id);
      automation.handle(record);
    };
    return {automation, screen, report, isLeft: () => left};
  }

  private checkGlobals({count, until}: FlagsOf<typeof ListenCommand>): void {
    const {jq, format, fields} = this.rendering;
    if (jq !== undefined || format === 'csv' || format === 'yaml' || fields)
      throw usageError(
        'invalid_flag',
        'webhooks listen prints lines or --json records. Other output formats are not supported.',
      );
    if (this.context.flags.timeout !== undefined && count === undefined && until === undefined)
      throw usageError('invalid_flag', '--timeout works only with --count or --until.');
  }

  /** The words after `--`. Words before it are refused. */
  private programWords(given: readonly string[]): string[] {
    const at = this.argv.indexOf('--');
    const words = at < 0 ? [] : this.argv.slice(at + 1);
    if (given.length === words.length) return words;
    throw usageError('unexpected_argument', `unexpected argument: ${JSON.stringify(given[0])}.`, {
      hint: 'To start a program, put it after --: centavo webhooks listen -- npm run dev',
    });
  }

  /** The interactive view; undefined where lines are printed. */
  private async openScreen(
    flags: FlagsOf<typeof ListenCommand>,
    app: readonly string[],
    options: Pick<EventScreenOptions, 'explain' | 'isAlive' | 'quit' | 'store' | 'targets'>,
  ): Promise<EventScreen | undefined> {
    const {io, host, nowMilliseconds: now} = this.context;
    // A program would share the terminal, and stdin that holds a secret has no keys.
    const shared = app.length > 0 || flags.exec !== undefined || flags['secret-stdin'];
    const plain = flags.plain || io.plain || isMachine(this.rendering);
    if (shared || plain || !io.stdoutIsTerminal || !io.canAsk) return undefined;
    const {EventScreen} = await import('./event-screen.js');
    const {stdin, stdout, atExit, interrupt} = host;
    const terminal = {input: stdin as unknown as KeySource, output: stdout as unknown as ScreenOutput, atExit};
    return EventScreen.create({...options, io, now, terminal, interrupt});
  }
}

/** Adds to an error whether the webhook, which is the only change, is left. */
function withRemoval(error: unknown, left: boolean): unknown {
  if (!(error instanceof CentavoError) || error.details.applied !== undefined) return error;
  const state: ErrorDetails = left
    ? {applied: 'yes', changed: 'Its webhook is left, and the next run sees to it.'}
    : {applied: 'no', changed: 'Nothing was changed.'};
  return new CentavoError(error.kind, error.message, {...error.details, ...state});
}
