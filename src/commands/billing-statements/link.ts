// `centavo billing-statements link <statement>`: prints, copies or draws the payment link of an open statement.

import {statementCustomerOf, statementName} from '../../api/statement.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {accountFlagsOf} from '../../cli/next-steps.js';
import {noteServing} from '../../cli/presentation/statement-notes.js';
import {Flags} from '../../cli/oclif.js';
import {printRead, readStatement, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {CentavoError} from '../../common/errors.js';
import {guardConnection} from '../../guard/guard.js';
import {qrLines} from '../../output/qr-code.js';
import {isMachineFormat} from '../../output/render.js';
import {LANGUAGES, paymentLink, paymentMessage, type Language} from './shared/payment-link.js';

const LINK = schema.record({
  id: schema.text,
  number: schema.nullable(schema.text),
  customer: schema.nullable(schema.text),
  amount: schema.nullable(schema.centavos),
  due_at: schema.nullable(schema.timestamp),
  url: schema.text,
  message: schema.nullable(schema.text),
});

export class LinkCommand extends BaseCommand {
  static override summary = 'Show the payment link, or a message with it.';
  static override description =
    'In a pipe it prints only the link. --copy uses pbcopy, wl-copy, xclip, xsel or clip.exe, or the clipboard of the terminal (OSC 52).';
  static override examples = [
    '<%= config.bin %> billing-statements link JEEPNEY-0002 --copy',
    '<%= config.bin %> billing-statements link JEEPNEY-0002 --qr',
    '<%= config.bin %> billing-statements link JEEPNEY-0002 --message fil --copy',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    copy: Flags.boolean({summary: 'Also copy it to the clipboard.'}),
    qr: Flags.boolean({summary: 'Draw the link as a QR code.'}),
    message: Flags.string({
      summary: 'Print a message to the customer with number, amount, due date and link, in English or Filipino.',
      options: [...LANGUAGES],
    }),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => schema.either(LINK, schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(LinkCommand);
    const {context} = this;
    guardConnection(await context.connection());
    const reference = await statementReference(context, args.statement, 'link JEEPNEY-0002 --copy');
    if (flags['dry-run']) return printRead(context, reference, this.requestForm, 'open');
    const statement = await readStatement(context, reference, {changes: false, status: 'open'});
    const link = await paymentLink(context, statement);
    const language = flags.message as Language | undefined;
    const message = language && paymentMessage(statement, link, language, await context.accountNow());
    const document = linkRecord(statement, link, message);
    const {io} = context;
    const isRecord =
      isMachineFormat(this.rendering) || this.rendering.format === 'csv' || this.rendering.fields !== undefined;
    const qrCode = flags.qr && !isRecord ? await this.qrOf(statement, link) : [];
    if (isRecord) await this.print(resultOfRecord(LINK, document));
    else {
      if (!io.stdoutIsTerminal) for (const line of qrCode) io.note(line);
      await io.out(message ?? `${link}\n`);
      await noteServing(context, statement);
    }
    if (flags.copy) await this.copy(message ?? link, message === undefined ? 'link' : 'message');
    // The QR code is printed last, so that it stays on the screen.
    if (io.stdoutIsTerminal && qrCode.length > 0) await io.out(`${qrCode.join('\n')}\n`);
  }

  private async qrOf(statement: BillingStatementData, link: string): Promise<string[]> {
    const {io, host} = this.context;
    const instead = `open the page: centavo billing-statements open ${statementName(statement)}${accountFlagsOf(this.context)}`;
    const size = io.stdoutIsTerminal ? {columns: io.width, rows: host.stdout.rows} : {};
    return qrLines(link, size, io.stdoutIsTerminal && host.env.TERM !== 'dumb', instead);
  }

  private async copy(text: string, what: 'link' | 'message'): Promise<void> {
    const {host, io} = this.context;
    const {copyText} = await import('../../processes/desktop.js');
    const {by, failed} = await copyText(text, host);
    if (by !== undefined) return io.note(`Copied the ${what} with ${by}.`);
    if (io.stdoutIsTerminal && host.env.TERM !== 'dumb') {
      // OSC 52 sets the clipboard. The terminal does not confirm it.
      host.stdout.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
      return io.note(`Sent the ${what} to the terminal's clipboard. Some terminals block this.`);
    }
    throw new CentavoError('local_io', `cannot copy the ${what}.`, {
      code: 'no_clipboard',
      why: failed === undefined ? 'None of pbcopy, wl-copy, xclip, xsel and clip.exe is available.' : `${failed}.`,
      hint: 'Copy it from the output.',
    });
  }
}

const linkRecord = (
  statement: BillingStatementData,
  url: string,
  message: string | undefined,
): schema.SchemaValue<typeof LINK> => ({
  id: statement.id,
  number: statementName(statement) === statement.id ? null : statementName(statement),
  customer: statementCustomerOf(statement).name ?? null,
  amount: statement.amount ?? null,
  due_at: statement.due_at || null,
  url,
  message: message ?? null,
});
