// `centavo sandbox demo`: the main job from start to end, by running the real commands and showing each as it is typed.

import {SANDBOX_PROFILE} from '../../config/profiles.js';
import {resolveProfile} from '../../config/resolve.js';
import {BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {shellQuote} from '../../input/shell-words.js';

/** A step of the tour: what it is for, and the words of its command. */
interface Stop {
  readonly purpose: string;
  readonly words: readonly string[];
}

/** What the tour needs of a command's result to go on. */
interface DemoResult {
  readonly id: string;
  readonly payment?: {readonly id: string} | null;
}

export class DemoCommand extends BaseCommand {
  static override summary = 'See the main job done in the sandbox: customer, statement, finalize, send, pay.';
  static override description =
    'Every command is run for real on your sandbox, and shown as you would type it. No account and no network are needed.';
  static override examples = ['<%= config.bin %> sandbox demo'];

  /** Whatever account is active, the tour stays in the sandbox: what is to be typed then as well. */
  private where: readonly string[] = [];

  async run(): Promise<unknown> {
    const given = await this.read(DemoCommand);
    if (isDryRun(this.context, given.flags, 'make a customer and a statement in the sandbox, and pay it'))
      return undefined;
    const {io, flags} = this.context;
    const {value: active} = resolveProfile(await this.context.surroundings());
    if (active !== SANDBOX_PROFILE) this.where = ['--profile', SANDBOX_PROFILE];
    flags.profile = SANDBOX_PROFILE;
    await io.out(
      `${io.paint('bold', 'centavo: collect one-time payments in Philippine pesos')}\nThis tour runs real commands on an embedded sandbox. No money moves.\n`,
    );

    const customer = await this.stop({
      purpose: 'Somebody to bill.',
      words: ['customers', 'create', '--name', 'Juan Dela Cruz', '--email', 'juan@example.com'],
    });
    const draft = await this.stop({
      purpose: 'A billing statement with two items and a due date. It is a draft until it is finalized.',
      words: [
        'billing-statements',
        'create',
        '--customer',
        customer.id,
        '--item',
        'Web design x2 @ 15,000',
        '--item',
        'Hosting, one year @ 1,250.50',
        '--due',
        '+30d',
      ],
    });
    await this.stop({
      purpose: 'Finalize it: it becomes open, and gets its payment link.',
      words: ['billing-statements', 'finalize', draft.id],
    });
    await this.stop({purpose: 'E-mail it to the customer.', words: ['billing-statements', 'send', draft.id]});
    await this.stop({
      purpose: 'The link that the customer opens.',
      words: ['billing-statements', 'get', draft.id, '--fields', 'status,amount,due_at,url'],
    });
    const listener = await this.listener();
    const paid = await this.stop({
      purpose: 'Play the customer, and pay by GCash.',
      words: ['sandbox', 'pay', draft.id, '--method', 'gcash'],
    });
    await listener.ended;
    await this.stop({
      purpose: 'What is paid.',
      words: ['billing-statements', 'list', '--status', 'paid', '--limit', '5'],
    });

    await io.out(`\n${io.paint('green', 'Paid.')} Go on from here:\n${NEXT.map((line) => `  ${line}\n`).join('')}`);
    return {customer: customer.id, billing_statement: draft.id, payment: paid.payment?.id};
  }

  /** A listener beside the tour, as one would have in another terminal; ready when its webhook is registered. */
  private async listener(): Promise<{ended: Promise<unknown>}> {
    const {io, host, env, sleep, signal} = this.context;
    const words = [
      'webhooks',
      'listen',
      '--events',
      'billing_statement.paid,payment_intent.succeeded',
      '--until',
      'billing_statement.paid',
      ...this.where,
    ];
    await io.out(
      `\n${io.paint('dim', '# In another terminal: receive the events of what follows, and check that they are genuine.')}\n` +
        `${io.paint('cyan', `$ centavo ${words.map(shellQuote).join(' ')}`)}\n`,
    );
    const {startApp} = await this.context.webhooks();
    const client = await this.context.client();
    const before = (await client.webhooks.list({limit: 100})).data.length;
    const app = startApp([...host.self, ...words, '--plain', '--timeout', '30s'], env, {
      quiet: false,
      ownGroup: false,
      kill: host.kill,
    });
    while ((await client.webhooks.list({limit: 100})).data.length === before) {
      const over = await Promise.race([app.ended, sleep(POLLING, signal)]);
      if (over) break;
    }
    return app;
  }

  /** Runs one command as if it had been typed, and gives its result. */
  private async stop({purpose, words: typed}: Stop): Promise<DemoResult> {
    const {io} = this.context;
    const words = [...typed, ...this.where];
    await io.out(
      `\n${io.paint('dim', `# ${purpose}`)}\n${io.paint('cyan', `$ centavo ${words.map(shellQuote).join(' ')}`)}\n`,
    );
    const [topic, verb, ...rest] = words;
    return (await this.config.runCommand(`${topic}:${verb}`, [...rest, '--output', 'table'])) as DemoResult;
  }
}

/** Milliseconds between two looks for the listener's webhook. */
const POLLING = 50;

const NEXT = [
  'centavo billing-statements create     asks for everything, step by step',
  'centavo sandbox seed                  fills the sandbox with a believable merchant',
  'centavo sandbox serve                 puts it on a port, for your app and any SDK',
  'centavo webhooks listen               shows events as they come, and forwards them to your app',
  'centavo help                          all there is',
];
