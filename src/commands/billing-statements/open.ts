// `centavo billing-statements open <statement>`: the payment page of an open statement, in the browser.

import {numberOf, statementName} from '../../api/statement.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import {boolean, dryRun, either, nullable, record, text} from '../../cli/schema.js';
import {sameAccount} from '../../cli/next-command.js';
import {noteServing} from '../../cli/objects/statement-notes.js';
import {printRead, readStatement, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {guardConnection} from '../../guard/guard.js';
import {isMachine} from '../../output/render.js';
import {paymentLink} from './shared/payment-link.js';

const OPENED = record({id: text, number: nullable(text), url: text, opened: boolean});

export class OpenCommand extends BaseCommand {
  static override summary = 'Open the payment page in the browser.';
  static override description =
    'Where there is no browser, such as over SSH, the link is printed instead. BROWSER can name the program to use.';
  static override examples = ['<%= config.bin %> billing-statements open JEEPNEY-0002'];
  static override args = {statement: statementArgument};
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => either(OPENED, dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(OpenCommand);
    const {context} = this;
    const {io} = context;
    guardConnection(await context.connection(), flags);
    const reference = await statementReference(context, args.statement, 'open JEEPNEY-0002');
    if (flags['dry-run']) return printRead(context, reference, this.requestForm, 'open');
    const statement = await readStatement(context, reference, {changes: false, status: 'open'});
    const url = paymentLink(statement, sameAccount(context));
    const {openAddress} = await import('../../programs/desktop.js');
    const {by, failed} = await openAddress(url, context.host);
    const name = statementName(statement);
    if (by !== undefined) io.note(`Opened the payment page of ${name} in the browser.`);
    else io.note(`The payment page of ${name} could not be opened here: ${failed ?? 'there is no browser'}. Its link:`);
    const document = {id: statement.id, number: numberOf(statement) ?? null, url, opened: by !== undefined};
    if (isMachine(this.rendering) || this.rendering.format === 'csv' || this.rendering.fields)
      await this.print(resultOfRecord(OPENED, document));
    else await io.out(`${url}\n`);
    await noteServing(context, statement);
  }
}
