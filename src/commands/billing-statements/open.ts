// `centavo billing-statements open <statement>`: opens the payment page of an open statement in the browser.

import {statementNumberOf, statementName} from '../../api/statement.js';
import {BaseCommand, CALL_EXITS} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {noteServing} from '../../cli/presentation/statement-notes.js';
import {printRead, readStatement, statementArgument, statementReference} from '../../cli/references/read-statement.js';
import {guardConnection} from '../../guard/guard.js';
import {isMachineFormat} from '../../output/render.js';
import {paymentLink} from './shared/payment-link.js';

const OPENED = schema.record({
  id: schema.text,
  number: schema.nullable(schema.text),
  url: schema.text,
  opened: schema.boolean,
});

export class StatementOpenCommand extends BaseCommand {
  static override summary = 'Open the payment page in the browser.';
  static override description =
    'Without a browser, such as over SSH, it prints the link instead. BROWSER can set the program to use.';
  static override examples = ['<%= config.bin %> billing-statements open JEEPNEY-0002'];
  static override args = {statement: statementArgument};
  static risk = 'reads' as const;
  static agents = 'never' as const;
  static exits = CALL_EXITS;
  static output = () => schema.either(OPENED, schema.dryRun);

  async run(): Promise<void> {
    const {flags, args} = await this.read(StatementOpenCommand);
    const {context} = this;
    const {io} = context;
    guardConnection(await context.connection());
    const reference = await statementReference(context, args.statement, 'billing-statements open JEEPNEY-0002');
    if (flags['dry-run']) return printRead(context, reference, this.requestForm, 'open');
    const statement = await readStatement(context, reference, {changes: false, status: 'open'});
    const url = await paymentLink(context, statement);
    const {openAddress} = await import('../../processes/desktop.js');
    const problem = await openAddress(url, context.host);
    const name = statementName(statement);
    io.note(problem ? `${problem} Payment page of ${name}:` : `Opened the payment page of ${name} in the browser.`);
    const document = {id: statement.id, number: statementNumberOf(statement) ?? null, url, opened: !problem};
    if (isMachineFormat(this.rendering) || this.rendering.format === 'csv' || this.rendering.fields)
      await this.print(resultOfRecord(OPENED, document));
    else await io.out(`${url}\n`);
    await noteServing(context, statement);
  }
}
