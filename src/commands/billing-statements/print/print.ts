// `centavo billing-statements print <statement>`: writes the statement as a page to hand over, as HTML.

import {UNKNOWN_WORDS} from '../../../accounting/words.js';
import {statementName, statementNumberOf} from '../../../api/statement.js';
import type {BillingStatementData} from '../../../billing/statement/plan.js';
import {BaseCommand, CALL_EXITS, forceFlag} from '../../../cli/base.js';
import {Flags} from '../../../cli/oclif.js';
import {isPaid, readStanding} from '../../../cli/presentation/standings.js';
import {noteServing} from '../../../cli/presentation/statement-notes.js';
import {resultOfRecord} from '../../../cli/records.js';
import {
  printRead,
  readStatement,
  statementArgument,
  statementReference,
} from '../../../cli/references/read-statement.js';
import * as schema from '../../../cli/schema.js';
import {isJsonObject} from '../../../common/json.js';
import {formatPesos} from '../../../common/pesos.js';
import {guardConnection} from '../../../guard/guard.js';
import {isMachineFormat} from '../../../output/render.js';
import {payableLink, printedPage} from './page.js';

const PRINTED = schema.record({
  id: schema.text,
  number: schema.nullable(schema.text),
  title: schema.text,
  state: schema.text,
  file: schema.nullable(schema.text),
  opened: schema.boolean,
  html: schema.nullable(schema.text),
});

/** An agent must not open a person's browser. */
const openFlag: typeof forceFlag = Object.assign(Flags.boolean({summary: 'Open the file in the browser.'}), {
  agents: 'never',
});

export class PrintCommand extends BaseCommand {
  static override summary = 'Make a page to hand over.';
  static override description =
    'Writes NUMBER.html in this folder; a pipe gets the page on stdout. Once money came in, it is the payment confirmation. A browser prints it to paper or PDF. It is no BIR invoice or official receipt, and says so.';
  static override examples = [
    '<%= config.bin %> billing-statements print JEEPNEY-0002',
    '<%= config.bin %> billing-statements print JEEPNEY-0002 --from "Reyes Hardware" --open',
  ];
  static override args = {statement: statementArgument};
  static override flags = {
    file: Flags.string({summary: 'File to write.', helpValue: '<file>'}),
    force: forceFlag,
    from: Flags.string({summary: 'Your name, at the top.', helpValue: '<text>'}),
    metadata: Flags.boolean({summary: 'Show the metadata.'}),
    open: openFlag,
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => schema.either(PRINTED, schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(PrintCommand);
    const {context, rendering} = this;
    const {io} = context;
    const connection = await context.connection();
    guardConnection(connection);
    const fileNamed = (path: string) => context.fileToWrite(path, {flag: '--file', force: flags.force});
    const named = flags.file === undefined ? undefined : await fileNamed(flags.file);
    const reference = await statementReference(context, args.statement, 'print JEEPNEY-0002');
    if (flags['dry-run']) return printRead(context, reference, this.requestForm);
    const statement = await this.withPayment(await readStatement(context, reference, {changes: false}));
    const standing = await readStanding(context, statement);
    const {title, page} = await printedPage({
      statement,
      standing,
      now: await context.accountNow(),
      mode: connection.mode,
      from: flags.from,
      withMetadata: flags.metadata,
    });
    const isRecord = isMachineFormat(rendering) || rendering.format === 'csv' || rendering.fields !== undefined;
    const isKept = flags.open || (io.stdoutIsTerminal && !isRecord);
    const file = named ?? (isKept ? await fileNamed(`${fileNameOf(statementName(statement))}.html`) : undefined);
    const shown = io.redact(page);
    await file?.write([shown]);
    if (file) io.note(`Wrote ${file.path}.`);
    const opens = flags.open && file !== undefined && !file.isStream;
    const {openAddress} = await import('../../../processes/desktop.js');
    const problem = opens ? await openAddress(file.real, context.host) : undefined;
    if (problem) io.note(`${problem} The page: ${file!.path}`);
    const opened = opens === true && !problem;
    const {id} = statement;
    const number = statementNumberOf(statement) ?? null;
    const written = {file: file?.path ?? null, opened, html: file ? null : shown};
    if (isRecord) await this.print(resultOfRecord(PRINTED, {id, number, title, state: standing.state, ...written}));
    else if (!file) await io.out(page);
    if (!isRecord) io.note('To make a PDF, open the page in a browser, print it, and choose "Save as PDF".');
    const unknown = standing.unknown.map((fact) => UNKNOWN_WORDS[fact]);
    const {pendingRefunds: pending} = standing;
    if (pending > 0) unknown.push(`how refunds of ${formatPesos(pending)}, made from this machine, ended`);
    if (unknown.length > 0) io.note(`Not known, so not on the page: ${unknown.join('; ')}.`);
    if (payableLink(statement, standing) !== undefined) await noteServing(context, statement);
  }

  /** Reads the payment again, because the statement may lack its refunds and method. */
  private async withPayment(statement: BillingStatementData): Promise<BillingStatementData> {
    const {context} = this;
    if (!isPaid(statement)) return statement;
    const {paymentOfStatement} = await context.billing();
    const payment = await paymentOfStatement(await context.client(), statement, {signal: context.signal});
    const {payment_intent: intent} = statement;
    return {
      ...statement,
      payment_intent: {...(isJsonObject(intent) ? intent : {id: intent}), ...(payment && {latest_payment: payment})},
    } as BillingStatementData;
  }
}

/** Returns a number or id as a file name that names no folder and is no flag. */
const fileNameOf = (name: string) => name.replace(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[.-]+/, '') || 'statement';
