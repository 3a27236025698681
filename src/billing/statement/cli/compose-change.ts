// Describes a statement to compose as one change for the guard: its steps, amount and customer.

import {getterOf, type RegisteredOperation} from '../../../api/registry.js';
import type {Context} from '../../../context/context.js';
import {longDay} from '../../../common/manila.js';
import {formatPesos} from '../../../common/pesos.js';
import {objectAmountOf, unknownParameters} from '../../../guard/change-amounts.js';
import {idsIn, type PlannedChange, type PlannedChangeDetails} from '../../../guard/change.js';
import {describeUnknown, safeDisplayName, UNKNOWN_AMOUNT} from '../../../guard/describe-change.js';
import {createTargetFetcher} from '../../../guard/target-fetcher.js';
import type {WantedStatement} from './compose-statement.js';

/** @param options `asksIfOverdue`: in every mode, ask before finalizing a statement that is already overdue */
export function composeChange(
  context: Context,
  registered: RegisteredOperation,
  wanted: WantedStatement,
  {asksIfOverdue = false} = {},
): PlannedChange {
  const {id, create = {}, dueAt} = wanted;
  const asks = asksIfOverdue && wanted.finalize && dueAt !== undefined && dueAt < context.displayNow();
  const withDue = (details: PlannedChangeDetails): PlannedChangeDetails =>
    asks ? {...details, action: `${details.action}, overdue at once`} : details;
  const unknown = unknownParameters(registered.operation.params, create);
  const details = (customer = wanted.customerName): PlannedChangeDetails =>
    withDue(detailsOf(wanted, unknown, customer));
  return {
    command: registered.id.replace(':', ' '),
    needsConfirmation: asks,
    isUnnamed: wanted.customerName === undefined,
    ids: idsIn([id, ...Object.values(create)]),
    known: details(),
    lookUp: async () => {
      if (wanted.customerName !== undefined) return details();
      const lookUp = createTargetFetcher(await context.client(), context.signal);
      if (id === undefined) {
        const [found] = await lookUp([{registered, ids: [], params: create}]);
        return details(found!.customer);
      }
      const [found] = await lookUp([{registered: getterOf('bstm_')!, ids: [id], params: {}}]);
      const {object, customer} = found!;
      // The run gives a draft exactly the given items. A statement that is not a draft keeps its amount.
      const isGiven = object!.status === 'draft' && wanted.total !== undefined;
      const amount = isGiven ? BigInt(wanted.total) : objectAmountOf(object!);
      const what = describeSteps(wanted, amount === undefined ? UNKNOWN_AMOUNT : formatPesos(amount), customer);
      const of = `billing statement ${id}`;
      const amounts = [{label: of, amount: amount ?? {unknown: 'The API does not return it.'}}];
      return withDue({action: what, statements: 1, amount, amounts});
    },
  };
}

export const dryRunPlanLines = ({items, dueAt}: WantedStatement): string[] => [
  ...items.map(({description, quantity, unit_price: price}) => `  ${quantity} × ${formatPesos(price)}  ${description}`),
  ...(dueAt === undefined ? [] : [`  due ${longDay(dueAt)}`]),
];

function detailsOf(
  wanted: WantedStatement,
  unknown: readonly string[],
  customer: string | undefined,
): PlannedChangeDetails {
  const {id, total} = wanted;
  const amount = total === undefined ? undefined : BigInt(total);
  const amountText = amount === undefined ? undefined : formatPesos(amount);
  const details = {
    action: `${describeSteps(wanted, amountText, customer)}${describeUnknown(unknown)}`,
    statements: 1,
    subject: {customer},
  };
  const of = 'billing statement';
  // Unknown parameters may change the amount.
  if (unknown.length > 0)
    return {
      ...details,
      amounts: [{label: of, amount: {unknown: `centavo does not know the parameter ${safeDisplayName(unknown[0]!)}.`}}],
    };
  if (amount !== undefined) return {...details, amount, amounts: [{label: of, amount}]};
  // Without given items, an existing draft must be read for its amount; a new draft has no amount.
  return id === undefined ? {...details, amounts: []} : details;
}

/** `create, finalize and send a billing statement of ₱31,000.00 for Juan Dela Cruz` */
function describeSteps(
  {id, create, finalize, send}: WantedStatement,
  amountText: string | undefined,
  customerName: string | undefined,
): string {
  const verbs = [id ? 'complete' : 'create', ...(finalize ? ['finalize'] : []), ...(send ? ['send'] : [])];
  const joined = verbs.length > 1 ? `${verbs.slice(0, -1).join(', ')} and ${verbs.at(-1)}` : verbs[0]!;
  const what = id ? `billing statement ${id}` : 'a billing statement';
  const amount = amountText === undefined ? '' : ` of ${amountText}`;
  const customer = customerName || create?.customer_id;
  return `${joined} ${what}${amount}${customer ? ` for ${safeDisplayName(customer)}` : ''}`;
}
