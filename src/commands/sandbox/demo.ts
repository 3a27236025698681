// `centavo sandbox demo`: a tour that runs real commands and shows each as typed.

import {BaseCommand, CHANGE_EXITS} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {SANDBOX_PROFILE} from '../../config/profiles.js';
import {resolveProfile} from '../../config/resolve.js';
import {valueOrThrow} from '../../input/invalid-input.js';
import {splitWords} from '../../input/shell-quoting.js';

const EMAIL = 'juan@example.com';

export class DemoCommand extends BaseCommand {
  static override summary = 'Take a tour: create, send and pay a billing statement in the sandbox.';
  static override description =
    'The tour runs real commands in your sandbox, and shows each one as you would type it. You need no account and no network.';
  static override examples = ['<%= config.bin %> sandbox demo'];
  static risk = 'writes' as const;
  static exits = CHANGE_EXITS;
  static output = undefined;

  /** Flags that select the sandbox; empty if the sandbox is active. */
  private profileFlags: readonly string[] = [];

  async run(): Promise<void> {
    const given = await this.read(DemoCommand);
    if (isDryRun(this.context, given.flags, 'create a customer and a billing statement in the sandbox, and pay it'))
      return;
    const {io, flags} = this.context;
    const {value: active} = resolveProfile(await this.context.settingsInput());
    if (active !== SANDBOX_PROFILE) this.profileFlags = ['--profile', SANDBOX_PROFILE];
    if (flags.project !== undefined) this.profileFlags = [...this.profileFlags, '--project', flags.project];
    flags.profile = SANDBOX_PROFILE;
    await io.out(
      `${io.paint('bold', 'centavo: collect one-time payments in Philippine pesos')}\nThis tour runs real commands in the embedded sandbox. No money moves.\n`,
    );

    const {customers} = await this.context.client();
    const [existing] = (await customers.list({email: EMAIL, limit: 1})).data;
    if (existing) await this.step('Show the customer from an earlier tour.', `customers get ${existing.id}`);
    const customer =
      existing ?? (await this.step('Create a customer.', `customers create --name 'Juan Dela Cruz' --email ${EMAIL}`));
    const {id} = await this.step(
      'Create a billing statement with two items and a due date. It stays a draft until you finalize it.',
      `billing-statements create --customer ${customer.id} --item 'Web design x2 @ 15,000' --item 'Hosting, one year @ 1,250.50' --due +30d`,
    );
    await this.step(
      'Finalize it. The customer can now pay it with the payment link.',
      `billing-statements finalize ${id}`,
    );
    await this.step('Email it to the customer.', `billing-statements send ${id}`);
    await this.step('Show the payment link.', `billing-statements get ${id} --fields status,amount,due_at,url`);
    const listener = await this.startListener();
    await this.step('Pay it as the customer, with GCash.', `sandbox pay ${id} --method gcash`);
    await listener.ended;
    await this.step('Show the paid statement.', 'billing-statements list --status paid --limit 5');

    const {env, webhooks} = this.context;
    // `npm start` of a clone does not put centavo on the path.
    const isFound = env.npm_lifecycle_event !== 'start' || (await (await webhooks()).locateProgram('centavo', env));
    const next = isFound ? NEXT_COMMANDS : [INSTALL, ...NEXT_COMMANDS];
    await io.out(`\n${io.paint('green', 'Paid.')} Next steps:\n${next.map((line) => `  ${line}\n`).join('')}`);
  }

  /** Starts a listener, as in another terminal. Resolves when its webhook is registered, or when the listener ends. */
  private async startListener(): Promise<{ended: Promise<unknown>}> {
    const {host, sleep, signal} = this.context;
    const line = 'webhooks listen --events billing_statement.paid,payment_intent.succeeded --count 2';
    const words = await this.announce(
      'In another terminal: receive the events of the next steps, and verify them.',
      line,
    );
    const {startApp} = await this.context.webhooks();
    const {webhooks} = await this.context.client();
    const count = async (): Promise<number> => (await webhooks.list({limit: 100})).data.length;
    const before = await count();
    const app = startApp([...host.self, ...words, '--plain', '--timeout', '30s'], {
      // The listener is not killed with the tour, so that it can remove its webhook.
      host: {...host, atExit: undefined},
      sharesTerminal: true,
      quiet: false,
    });
    let ended: unknown;
    while (!ended && (await count()) === before) ended = await Promise.race([app.ended, sleep(POLLING, signal)]);
    return app;
  }

  /** Prints a command and its purpose. @returns the words of the command */
  private async announce(purpose: string, line: string): Promise<string[]> {
    const {io} = this.context;
    const command = [line, ...this.profileFlags].join(' ');
    await io.out(`\n${io.paint('dim', `# ${purpose}`)}\n${io.paint('cyan', `$ centavo ${command}`)}\n`);
    return valueOrThrow(splitWords(command));
  }

  /** Announces and runs a command. @returns the created object, if any */
  private async step(purpose: string, line: string): Promise<{readonly id: string}> {
    const [topic, verb, ...rest] = await this.announce(purpose, line);
    return this.config.runCommand(`${topic}:${verb}`, [...rest, '--output', 'table']);
  }
}

/** Milliseconds between two checks for the listener's webhook. */
const POLLING = 50;

const INSTALL = 'npm install -g .                      put centavo on your path, for the commands below';
const NEXT_COMMANDS = [
  'centavo bill                          bill a customer, step by step',
  'centavo sandbox seed                  add sample data to the sandbox',
  'centavo sandbox serve                 run the sandbox as a server for your app',
  'centavo webhooks listen               receive events and forward them to your app',
  'centavo help                          list all commands',
];
