// `centavo webhooks listen`: receives events, verifies their signatures and forwards them.

import {BaseCommand, CHANGE_EXITS, type FlagsOf, severalWords} from '../../../cli/base.js';
import {linkAbort} from '../../../common/deadlines.js';
import {usageError} from '../../../common/errors.js';
import {localChange} from '../../../guard/change.js';
import {guardChange, guardConnection} from '../../../guard/guard.js';
import {isMachineFormat} from '../../../output/render.js';
import type {ListenSummary} from '../../../webhooks/listen/listen-record.js';
import {printNoteLines, summaryLine} from '../shared/delivery-lines.js';
import {endpointOf} from '../shared/endpoint.js';
import {rejectOtherFormats, listenRecords, openListener, programArguments} from '../shared/listening.js';
import {readSecret} from '../shared/secrets.js';
import type {EventScreen, EventScreenOptions} from './event-screen.js';
import {listenFlags, readListenFlags} from './flags.js';

const VERB = 'webhooks listen';

export class ListenCommand extends BaseCommand {
  static override summary = 'Receive webhook events and forward them to your app.';
  static override description =
    'The sandbox needs no setup. With a real account, the service must be able to reach this machine: open a tunnel with --tunnel, or give your own URL with --public-url.\n\n' +
    'The path and port stay the same in this folder, or with the same --name. In the sandbox, so does the secret, even after `sandbox reset`. To print it: `webhooks secret`.\n\n' +
    'A webhook is registered while this command runs, and removed when it ends. With --keep it is disabled instead, and the next run enables it with the same secret. After a crash, the next run reuses or removes the webhook. If the webhook is disabled while this command runs, centavo enables it again. If it is deleted, centavo registers a new one. On a real account, the new webhook has a new secret. centavo then rewrites the env file and restarts the program after --. It checks every second in the sandbox, and every 30 seconds on a real account.\n\n' +
    'Deliveries are stored for 7 days, and longer if your app has not answered with 2xx. Older deliveries are removed when `webhooks listen` starts.\n\n' +
    'At a terminal, press ↑↓ to select, enter for details, r to replay, / to filter and q to quit. For lines only, use --plain. With --json, each line is a record.';
  static override examples = [
    '<%= config.bin %> webhooks listen --forward-to 3000/webhooks',
    "<%= config.bin %> webhooks listen --events 'billing_statement.*' --forward-to 3000 -- npm run dev",
    '<%= config.bin %> webhooks listen --events payment_intent.succeeded --count 1 --json',
    '<%= config.bin %> webhooks listen --tunnel cloudflared --forward-to 3000/hook --write-env .env.local',
  ];
  static override usage = 'webhooks listen [flags] [-- program...]';
  static override args = {
    program: severalWords({
      description: 'Program to start, such as your app, with the webhook secret in its environment.',
    }),
  };
  static override flags = listenFlags;
  static risk = 'writes' as const;
  static exits = [...CHANGE_EXITS, 'condition_unmet', 'timed_out'] as const;
  static output = () => listenRecords();

  async run(): Promise<void> {
    const {flags, args} = await this.read(ListenCommand);
    const {context, rendering} = this;
    const {io} = context;
    const connection = guardConnection(await context.connection());
    rejectOtherFormats(rendering, VERB);
    const {timeout} = context.flags;
    if (timeout !== undefined && flags.count === undefined)
      throw usageError('invalid_flag', '--timeout works only with --count.');
    const app = programArguments(this.argv, args.program ?? [], VERB);
    const library = await context.webhooks();
    const settings = await readListenFlags(flags, library, context, connection);
    const endpoint = {...(await endpointOf(context, flags.name)), keep: flags.keep};
    const secret = flags['secret-stdin'] ? await readSecret(context) : undefined;
    if (flags['dry-run']) return io.note('Dry run: no webhook was registered, and nothing is received.');
    if (secret === undefined)
      await guardChange(context, flags, localChange(VERB, 'register a webhook while it listens'));

    const stopping = new AbortController();
    linkAbort(stopping, context.signal);
    let summary: ListenSummary | undefined;
    const screen = await this.openScreen(flags, app, {
      explain: library.explainReason,
      store: await context.deliveries(),
      isAlive: context.isAlive,
      targets: settings.listen.targets.map(({url}) => url),
      quit: () => stopping.abort(),
    });
    const {automation, notice, run} = await openListener(context, {
      verb: VERB,
      app,
      rendering,
      settings,
      endpoint,
      secret,
      showsSecret: flags['print-secret'],
      stopping,
      show:
        screen &&
        ((record) => {
          screen.show(record);
          if (record.type === 'summary') summary = record;
        }),
    });
    const deadline = timeout === undefined ? undefined : setTimeout(() => automation.expire(), timeout * 1000);
    let sending: {stop: () => Promise<void>} | undefined;
    try {
      await run(async ({forwarder}) => {
        // In the sandbox this process also sends the events.
        if (connection.mode === 'sandbox') sending = (await context.sandbox()).startDelivery({onRefused: notice});
        screen?.open(forwarder);
      });
    } finally {
      clearTimeout(deadline);
      screen?.close();
      if (summary) printNoteLines([summaryLine(summary)], io);
      await sending?.stop();
    }
  }

  /** Returns the interactive view, or undefined if lines are printed. */
  private async openScreen(
    flags: FlagsOf<typeof ListenCommand>,
    app: readonly string[],
    options: Pick<EventScreenOptions, 'explain' | 'isAlive' | 'quit' | 'store' | 'targets'>,
  ): Promise<EventScreen | undefined> {
    const {io, host, nowMilliseconds: now} = this.context;
    // A program would share the terminal; stdin with a secret cannot receive keys.
    const shared = app.length > 0 || flags['secret-stdin'];
    const plain = flags.plain || io.plain || isMachineFormat(this.rendering);
    if (shared || plain || !io.stdoutIsTerminal || !io.canAsk) return undefined;
    const {EventScreen} = await import('./event-screen.js');
    const {stdin, stdout, atExit, interrupt} = host;
    const terminal = {input: stdin, output: stdout, atExit} as unknown as EventScreenOptions['terminal'];
    return EventScreen.create({...options, io, now, terminal, interrupt});
  }
}
