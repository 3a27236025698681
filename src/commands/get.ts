// `centavo get <id>`: shows any object; the prefix of its id selects the endpoint.

import {getterOf, operations, shapeOfId, type RegisteredOperation} from '../api/registry.js';
import {BaseCommand, CALL_EXITS, requiredArgument} from '../cli/base.js';
import {printCalls} from '../cli/dry-run.js';
import * as schema from '../cli/schema.js';
import {accountArgs} from '../cli/next-steps.js';
import {Args} from '../cli/oclif.js';
import {performOne} from '../cli/operations/perform.js';
import {readReference} from '../cli/references/references.js';
import {resolvePayment} from '../cli/references/payments-named.js';
import {resolveReferences} from '../cli/references/resolve-reference.js';
import {CentavoError, nextCommand, usageError} from '../common/errors.js';
import {guardConnection} from '../guard/guard.js';
import {valueOrThrow} from '../input/invalid-input.js';
import {isSequence, isStatementNumber} from '../input/names.js';

/** Alternatives for objects without an endpoint, by id prefix. */
const ALTERNATIVES: Readonly<Record<string, string>> = {
  bstm_li_: 'Line items are shown with their statement: centavo billing-statements get <id>',
  pm_: 'To list the payment methods of a customer: centavo customers list-payment-methods <id>',
  po_txn_: 'To list the transactions of a payout: centavo payouts list-transactions <id>',
  po_: 'The API shows only the transactions of a payout: centavo payouts list-transactions <id>',
  re_: 'The API cannot show a refund. To see how much of a payment was refunded: centavo payments get <id>',
};

const GETTERS = operations.filter(({verb}) => verb === 'get').map(({resource}) => resource.shape.name);

export class GetCommand extends BaseCommand {
  static override summary =
    'Show any object by id, a billing statement by number, or a customer by email address or name.';
  static override examples = [
    '<%= config.bin %> get JEEPNEY-0002',
    '<%= config.bin %> get juan@example.com',
    '<%= config.bin %> get pi_5Ls8 --json',
  ];
  static override args = {
    id: Args.string({
      description: 'Id, number of a statement, your own number or reference, or email address or name of a customer.',
      helpValue: '<id>',
    }),
  };
  static risk = 'reads' as const;
  static exits = CALL_EXITS;
  static output = () => schema.either(...GETTERS.map(schema.objectNamed), schema.dryRun);

  async run(): Promise<void> {
    const {args, flags} = await this.read(GetCommand);
    const {context} = this;
    const typed = requiredArgument(args.id, 'the id', 'centavo get bstm_7Hq2');
    const wanted = operationOf(typed, accountArgs(context));
    guardConnection(await context.connection(), wanted.id);
    const {registered, id} = await this.resolve(wanted, typed);
    if (flags['dry-run']) return printCalls(context, this.requestForm, [{...registered, ids: [id], params: {}}]);
    await performOne(context, registered, [id], {}, (result) => this.print(result));
  }

  /** Looks for a customer first, then for a payment with your own number, such as `INV/2026/001`. */
  private async resolve(
    registered: RegisteredOperation,
    typed: string,
  ): Promise<{registered: RegisteredOperation; id: string}> {
    const {prefix} = registered.resource.shape;
    const reference = valueOrThrow(readReference(typed, prefix));
    if (prefix === 'bstm_' && !typed.startsWith(prefix)) {
      const id = await resolvePayment(this.context, typed, {changes: false});
      return {registered: getterOf(shapeOfId(id)!.prefix)!, id};
    }
    try {
      const [id = ''] = await resolveReferences(this.context, prefix, [reference], {changes: false});
      return {registered, id};
    } catch (error) {
      const isUnknown = error instanceof CentavoError && error.code === 'customer_not_found';
      if (!isUnknown || reference.kind !== 'name' || !/\d/.test(typed)) throw error;
      return this.resolve(getterOf('bstm_')!, typed);
    }
  }
}

function operationOf(text: string, account: readonly string[]): RegisteredOperation {
  const id = text.trim();
  const shape = shapeOfId(id.replace(/…$/, ''));
  const found = shape && getterOf(shape.prefix);
  if (found) return found;
  const hint = shape && ALTERNATIVES[shape.prefix];
  if (hint) throw usageError('invalid_id', `a ${shape.title} cannot be read by its id.`, {hint});
  if (/^(?:evt|dlv|req)_\w+…?$/.test(id))
    throw usageError('invalid_id', `${id} is not the id of an object.`, {
      next: [nextCommand('To see related events', 'why', id, account)],
    });
  if (isStatementNumber(id) || isSequence(id)) return getterOf('bstm_')!;
  // Other text gets the error of an invalid customer id, which never repeats a secret.
  valueOrThrow(readReference(id, 'cus_'));
  return getterOf('cus_')!;
}
