// `centavo sandbox pay <id>`: pays as the customer, or simulates a failed payment.

import {PAYMENT_METHODS} from '../../api/fields.js';
import {BaseCommand, CALL_EXITS, requiredArgument} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args, Flags} from '../../cli/oclif.js';
import {completeId} from '../../cli/references/local-ids.js';
import {CentavoError, nextCommand, usageError} from '../../common/errors.js';
import {formatPesos} from '../../common/pesos.js';
import {commandLine} from '../../common/next-text.js';
import type {PayResult} from '../../sandbox/payments/pay-statement.js';

/** Fields of the text output. JSON has the objects. */
const PAY_SUMMARY = schema.record({
  result: schema.status,
  amount: schema.centavos,
  id: schema.text,
  payment: schema.nullable(schema.text),
  payment_intent: schema.text,
  error: schema.nullable(schema.text),
});
const SETUP_SUMMARY = schema.record({
  result: schema.status,
  ...schema.fieldsNamed('id payment_method type', schema.text),
});

export class PayCommand extends BaseCommand {
  static override summary =
    'Pay a billing statement, checkout session or payment intent as the customer, or complete a setup intent.';
  static override description =
    'Payment pages list the test cards. If the payment waits for approval, run it again to approve. If the payment fails, the exit code is 6, and you can try again.';
  static override examples = [
    '<%= config.bin %> sandbox pay JEEPNEY-0002',
    '<%= config.bin %> sandbox pay CART-7100 --method gcash',
    '<%= config.bin %> sandbox pay bstm_7Hq2 --card 4503300000000008',
    '<%= config.bin %> sandbox pay pi_5Ls8 --fail generic_decline',
    '<%= config.bin %> sandbox pay si_0Zm6 --method maya',
  ];
  static override args = {
    id: Args.string({
      description:
        'Number, id or customer of a billing statement; id of a session or intent, or of an event about one; or a metadata value or session reference.',
      helpValue: '<id>',
    }),
  };
  static override flags = {
    method: Flags.string({summary: 'Payment method.', options: [...PAYMENT_METHODS]}),
    card: Flags.string({summary: 'Test card number.', helpValue: '<number>', exclusive: ['method']}),
    fail: Flags.string({summary: 'Make the payment fail with this code.', helpValue: '<code>'}),
  };
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = [...CALL_EXITS, 'condition_unmet'] as const;
  static output = () =>
    schema.record(
      {
        result: schema.text,
        payment: schema.nullable(schema.objectNamed('payment')),
      },
      {
        payment_intent: schema.objectNamed('payment_intent'),
        billing_statement: schema.objectNamed('billing_statement'),
        checkout_session: schema.objectNamed('checkout_session'),
        setup_intent: schema.objectNamed('setup_intent'),
        payment_method: schema.objectNamed('payment_method'),
      },
    );

  async run(): Promise<void> {
    const {flags, args} = await this.read(PayCommand);
    const {context} = this;
    const typed = requiredArgument(args.id?.trim(), 'the id to pay', 'centavo sandbox pay JEEPNEY-0002');
    const sandbox = await context.sandbox();
    const id = await this.idToPay(typed);
    if (isDryRun(context, flags, `pay ${id} in the sandbox`)) return;
    const {method, card, fail} = flags;
    const control = await sandbox.control();
    const pay = async () => control.pay(id, {method, card, fail});
    const outcome = await pay().catch(async (error: unknown) => {
      if (!(error instanceof CentavoError) || error.code !== 'not_payable' || !id.startsWith('bstm_')) throw error;
      // The history knows settlements and replacements, unlike the sandbox.
      const {refusalOf} = await import('../../cli/presentation/standings.js');
      throw await refusalOf(context, 'pay', sandbox.object(id), {code: error.code});
    });
    const {result, payment} = outcome;
    if (!outcome.payment_intent) return this.printSetup(outcome, id);
    const intent = outcome.payment_intent as {id: string; amount: number};
    const {code, detail} = (outcome.payment_intent.last_payment_error ?? {}) as {code?: string; detail?: string};
    const summary = {
      result,
      amount: intent.amount,
      id,
      payment: (payment?.id as string | undefined) ?? null,
      payment_intent: intent.id,
      error: code ?? null,
    };
    await this.printDone(resultOfRecord(PAY_SUMMARY, summary, {document: outcome}));
    if (result === 'awaiting_next_action') {
      const again = ['sandbox', 'pay', typed];
      const declined = commandLine([...again, '--fail', 'generic_decline']);
      context.io.note(`The bank asks for approval. To decline: ${declined}`);
      context.io.note(`To approve: ${commandLine(again)}`);
    }
    if (result !== 'failed') return;
    throw new CentavoError('condition_unmet', `the payment of ${formatPesos(intent.amount)} failed: ${code}.`, {
      code: 'payment_failed',
      why: detail,
      changed: 'Nothing was paid; the attempt is recorded.',
      applied: 'yes',
    });
  }

  private async printSetup(outcome: PayResult, id: string): Promise<void> {
    const {result, error} = outcome;
    const method = outcome.payment_method as {id: string; type: string};
    const summary = {result, id, payment_method: method.id, type: method.type};
    await this.printDone(resultOfRecord(SETUP_SUMMARY, summary, {document: outcome}));
    if (!error) return;
    throw new CentavoError('condition_unmet', `the payment method was not saved: ${String(error.code)}.`, {
      code: 'setup_failed',
      why: `${id} waits for another attempt.`,
      changed: 'Nothing was saved.',
      next: [nextCommand('To save it', 'sandbox pay', id)],
      applied: 'yes',
    });
  }

  /** Ids are the sandbox's. @throws usage error for a name if the account in use is not the sandbox */
  private async idToPay(typed: string): Promise<string> {
    const {context} = this;
    const named = await completeId(context, typed, {inSandbox: true});
    if (/^(?:bstm|cs|pi|seti|si)_/.test(named)) return named;
    const known = await (await context.sandbox()).timeline(named);
    if (known) return String(known.payable.id);
    const {mode, profile} = await context.connection({isSandboxCommand: true});
    if (mode !== 'sandbox')
      throw usageError(
        'wrong_account',
        `${typed} would be looked up in the account ${profile.value}, which is not the sandbox.`,
        {next: [nextCommand('In the sandbox', 'sandbox pay', typed, '--profile', 'sandbox')]},
      );
    const {resolvePayment} = await import('../../cli/references/payments-named.js');
    return resolvePayment(context, typed, {changes: true, status: 'open'});
  }
}
