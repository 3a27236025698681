// `centavo webhooks listen`: receives events on this machine, says of each whether it is genuine, and passes it on.

import {Args, Flags} from '@oclif/core';
import {follow} from '../../deadlines.js';
import {CentavoError, usageError, type ErrorDetails} from '../../errors.js';
import {toJson} from '../../output/format.js';
import {isMachine} from '../../output/render.js';
import type {ListenRecord} from '../../webhooks/listen/records.js';
import {BaseCommand, type FlagsOf} from '../../cli/base.js';
import {guardChange, guardKey, guardMode} from '../../guard/guard.js';
import {plainChange} from '../../guard/change.js';
import {prepareListening, type Prepared} from './listen-options.js';
import {readyLines, recordJson, recordLine, summaryLine} from './records.js';
import {Watcher} from './watcher.js';

export type ListenFlags = FlagsOf<typeof ListenCommand>;

export class ListenCommand extends BaseCommand {
  static override summary = 'Receive webhook events here, verify them, and forward them to your app.';
  static override description =
    'In the sandbox nothing else is needed. On a real account the service has to reach this machine: --tunnel opens a way, --public-url names one.\n\n' +
    'A webhook is registered while this runs, and removed when it ends. One that a crash left behind is removed by the next run. If the webhook is deleted, or the sandbox is reset, another one is registered. Its secret is new: the env file is written again, and a program behind -- is restarted. If the webhook is disabled, it is enabled again. This is noticed within a second in the sandbox, and within 30 seconds on a real account.\n\n' +
    'What arrives is stored for seven days, and longer if a target has not answered it with 2xx. Older deliveries are removed when `webhooks listen` starts.\n\n' +
    'At a terminal: ↑↓ select, enter details, r replay, / filter, q quit; --plain prints lines only. With --json each line is a record.';
  static override examples = [
    '<%= config.bin %> webhooks listen --forward-to 3000/webhooks',
    "<%= config.bin %> webhooks listen --events 'billing_statement.*' --forward-to 3000 -- npm run dev",
    '<%= config.bin %> webhooks listen --until payment_intent.succeeded --json',
    '<%= config.bin %> webhooks listen --tunnel cloudflared --forward-to 3000/hook --write-env .env.local',
  ];
  static override usage = 'webhooks listen [flags] [-- program...]';
  static override args = {
    program: Args.string({
      description: 'Your app, to be started with the secret in its environment.',
      multiple: true,
    } as Record<string, unknown>),
  };
  static override flags = {
    'forward-to': Flags.string({summary: 'Your app: 3000, 3000/path, host:port/path or a URL.', helpValue: '<target>'}),
    route: Flags.string({
      summary: "Events of a pattern go elsewhere: 'payment_intent.*=3001/pay'. Repeatable.",
      helpValue: '<pattern=target>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    events: Flags.string({
      char: 'e',
      summary: "Only these: 'billing_statement.*,!billing_statement.created'.",
      helpValue: '<patterns>',
    }),
    'unknown-events': Flags.boolean({
      summary: 'Accept names in --events, --until and --route that look misspelt.',
    }),
    tunnel: Flags.string({
      summary: 'cloudflared, ngrok, ssh:user@host[:port], command:program…, or none.',
      helpValue: '<tunnel>',
    }),
    'public-url': Flags.string({summary: 'A public URL that leads here by other means.', helpValue: '<url>'}),
    'tunnel-url-pattern': Flags.string({
      summary: 'Finds the URL in what the tunnel’s program prints.',
      helpValue: '<regexp>',
      dependsOn: ['tunnel'],
    }),
    'exit-on-disconnect': Flags.boolean({
      summary: 'End when the tunnel or the webhook is lost, instead of restoring it.',
    }),
    'secret-stdin': Flags.boolean({summary: 'Read the secret from stdin, and register nothing.'}),
    tolerance: Flags.string({
      summary: 'Seconds that a signature may be away from this machine’s clock.',
      helpValue: '<seconds>',
      default: '300',
    }),
    'skip-verify': Flags.boolean({summary: 'Take what is not genuine, too; it is marked.'}),
    'forward-remote': Flags.boolean({summary: 'Allow forwarding to another machine.'}),
    'forward-insecure': Flags.boolean({summary: 'Accept any certificate of your app.'}),
    header: Flags.string({
      char: 'H',
      summary: 'Add a header to what is forwarded: "Name: value". Repeatable.',
      helpValue: '<header>',
      multiple: true,
      multipleNonGreedy: true,
    }),
    'no-retry': Flags.boolean({summary: 'Forward each event once, whatever your app answers.'}),
    port: Flags.string({summary: 'Port of the receiver; any that is free when not given.', helpValue: '<number>'}),
    'print-secret': Flags.boolean({summary: 'Show the secret that signs.'}),
    'write-env': Flags.string({
      summary: 'Write the secret to an env file, readable by you only.',
      helpValue: '<file[:VAR]>',
    }),
    exec: Flags.string({
      summary: 'Run a program for each genuine event, which it gets on stdin.',
      helpValue: '<program and arguments>',
    }),
    count: Flags.string({summary: 'End after so many genuine events.', helpValue: '<number>'}),
    until: Flags.string({summary: 'End after a genuine event of this kind.', helpValue: '<pattern>'}),
    plain: Flags.boolean({summary: 'Lines only, even at a terminal.'}),
  };

  async run(): Promise<unknown> {
    const {flags, args} = await this.read(ListenCommand);
    const {context} = this;
    const connection = await context.connection();
    guardKey(connection, 'webhooks:listen');
    guardMode(connection, flags);
    const machine = isMachine(this.rendering);
    if (this.rendering.jq !== undefined || this.rendering.format === 'csv' || this.rendering.fields)
      throw usageError('records come one by one: they can be printed as lines or with --json.', {code: 'invalid_flag'});
    if (context.flags.timeout !== undefined && flags.count === undefined && flags.until === undefined) {
      throw usageError('--timeout limits a wait: it goes with --count or --until.', {code: 'invalid_flag'});
    }
    const stopping = new AbortController();
    follow(stopping, context.signal);
    const words = this.programWords((args.program ?? []) as string[]);
    const prepared = await prepareListening(context, connection, flags, stopping.signal);
    const watcher = new Watcher({
      context,
      flags,
      library: prepared.library,
      app: words,
      machine,
      stop: () => stopping.abort(),
      say: (message) => report({type: 'notice', message}),
    });
    // A screen that shares the terminal with a program, or keys that come after a secret, would be nobody's.
    const shared = words.length > 0 || flags.exec !== undefined || flags['secret-stdin'];
    const {io} = context;
    const interactive = !machine && !flags.plain && !io.plain && !shared && io.stdoutIsTerminal && io.canAsk;
    if (flags['dry-run']) return void context.io.note('Nothing was registered, and nothing is listened to: --dry-run.');
    const registers = !flags['secret-stdin'];
    if (registers)
      await guardChange(context, flags, plainChange('webhooks listen', 'register a webhook while it listens'));
    const audit = registers ? await context.audit() : undefined;
    const screen = interactive
      ? await (await import('./event-screen.js')).EventScreen.create(context, prepared, () => stopping.abort())
      : undefined;

    const deadline =
      context.flags.timeout === undefined
        ? undefined
        : setTimeout(() => watcher.expire(), context.flags.timeout * 1000);
    let left = false;
    const report = (record: ListenRecord): void => {
      if (record.type === 'summary') left = record.webhook_left;
      const shown = 'secret' in record && !flags['print-secret'] ? {...record, secret: undefined} : record;
      if (screen) screen.show(shown);
      else {
        this.printRecord(shown, machine, prepared.library).then(
          // Nobody is there to read on.
          () => context.io.closed && stopping.abort(),
          (error: unknown) => watcher.fail(error as CentavoError),
        );
      }
      if ('webhook_id' in record && record.webhook_id) audit?.touched(record.webhook_id);
      watcher.see(record);
    };
    try {
      const listening = await prepared.listen(report);
      screen?.open(listening);
      const summary = await listening.done;
      await watcher.end();
      screen?.close();
      if (screen) context.io.note(summaryLine(summary));
      watcher.verdict();
      return summary;
    } catch (error) {
      throw withRemoval(error, left);
    } finally {
      clearTimeout(deadline);
      screen?.close();
      await watcher.end();
      await prepared.close();
    }
  }

  /** What stands behind `--`. @throws CentavoError kind `usage` for words before it */
  private programWords(given: readonly string[]): string[] {
    const at = this.argv.indexOf('--');
    const words = at < 0 ? [] : this.argv.slice(at + 1);
    if (given.length === words.length) return words;
    throw usageError(`unexpected argument: ${JSON.stringify(given[0])}.`, {
      code: 'unexpected_argument',
      hint: 'A program to start stands behind --: centavo webhooks listen -- npm run dev',
    });
  }

  /** @throws CentavoError kind `local_io` */
  private async printRecord(
    record: ListenRecord,
    machine: boolean,
    {explainReason}: Prepared['library'],
  ): Promise<void> {
    const {io, nowMilliseconds} = this.context;
    // It is there only when --print-secret asks for it.
    const secret = 'secret' in record ? record.secret : undefined;
    const showing = {showing: secret ? [secret] : []};
    if (machine) {
      const shown = {...io.hide(recordJson(record, nowMilliseconds())), ...(secret && {secret})};
      return io.out(`${toJson(shown)}\n`, showing);
    }
    if (record.type === 'ready') for (const line of readyLines(record)) io.note(line, showing);
    else if (record.type === 'summary') io.note(summaryLine(record));
    else {
      const line = recordLine(record, nowMilliseconds(), explainReason);
      if (line) await io.out(`${line.style ? io.paint(line.style, line.text) : line.text}\n`, showing);
    }
  }
}

/** The only change is the webhook, and whether it was removed in the end is known. */
function withRemoval(error: unknown, left: boolean): unknown {
  if (!(error instanceof CentavoError) || error.details.applied !== undefined) return error;
  const state: ErrorDetails = left
    ? {applied: 'yes', changed: 'The next run removes its webhook.'}
    : {applied: 'no', changed: 'Nothing was changed.'};
  return new CentavoError(error.kind, error.message, {...error.details, ...state});
}
