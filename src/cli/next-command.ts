// Suggests commands in errors: to check a change of unknown outcome, or to correct a refused request.

import type {RegisteredOperation} from '../api/registry.js';
import type {Context} from '../context/context.js';
import {CentavoError} from '../common/errors.js';
import {formatPesos} from '../common/pesos.js';
import type {DescribedCall} from '../guard/describe-change.js';
import {shellQuote} from '../input/shell-quoting.js';
import {kindOfName} from '../output/format.js';
import {accountFlagsOf, lacksDate, suggest, type StepId} from './next-steps.js';

/** Prints the next command at a terminal. @param named ids or names of the objects */
export function suggestNext(context: Context, step: StepId, named: string | readonly string[] = []): void {
  const {io} = context;
  if (io.canAsk && io.stdoutIsTerminal) io.note(suggest(step, named, accountFlagsOf(context)), {style: 'dim'});
}

/** Returns the user's own text for an object, or else the id. */
export const nameFor = ({names}: Pick<Context, 'names'>, id: string): string => names.get(id) ?? id;

export const withSuggestion =
  (context: Context, call: DescribedCall) =>
  (error: unknown): never => {
    throw error instanceof CentavoError ? withNextCommand(context, error, call) : error;
  };

function withNextCommand(context: Context, failure: CentavoError, call: DescribedCall): CentavoError {
  const error = inPesos(failure);
  const {registered, ids, params} = call;
  if (error.details.hint) return error;
  const hint =
    error.details.applied === 'unknown'
      ? checkCommand(registered, ids.slice(0, 1), params, accountFlagsOf(context))
      : error.kind === 'not_found'
        ? listHint(registered, accountFlagsOf(context))
        : error.kind === 'rejected' && ids.length === 1
          ? stateHint(call, error, accountFlagsOf(context))
          : undefined;
  return hint ? error.with({hint}) : error;
}

/** Converts amounts in the API's error to pesos; `api_errors` keeps the original text, in centavos. */
function inPesos(error: CentavoError): CentavoError {
  const {apiErrors = [], why} = error.details;
  const isAmount = (parameter = ''): boolean => kindOfName(parameter.replace(/\W+$/, '')) === 'centavos';
  if (error.kind !== 'rejected' || why !== undefined || !apiErrors.some(({parameter}) => isAmount(parameter)))
    return error;
  const details = apiErrors.map(({detail, parameter}) =>
    isAmount(parameter)
      ? detail.replace(/(?<=\s)\d+(?=[.;,]?(?:\s|$))/g, (digits) => formatPesos(Number(digits)))
      : detail,
  );
  return error.with({why: details.join(' ')});
}

/** Returns the next command if the API refused an object's state rather than a parameter. */
function stateHint(
  {registered: {resource, verb}, ids: [id = '']}: DescribedCall,
  error: CentavoError,
  account: string,
): string | undefined {
  if (verb === 'finalize' && lacksDate(error)) return suggest('date_draft', id, account);
  const {apiErrors = []} = error.details;
  if (apiErrors.some(({parameter}) => parameter !== undefined)) return undefined;
  if (!('get' in resource.operations)) return undefined;
  return `See its status: centavo ${resource.topic} get ${shellQuote(id)}${account}`;
}

const listHint = ({resource}: RegisteredOperation, account: string): string | undefined =>
  'list' in resource.operations ? `To look for it: centavo ${resource.topic} list${account}` : undefined;

/** Suggests `centavo billing-statements get bstm_…`, or a list that shows a new object first. */
export function checkCommand(
  {resource, operation}: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  account: string,
): string {
  if (operation.returns.kind === 'nothing' && operation.reaches === undefined) return askBeforeRepeating('sent');
  const parent = params.billing_statement_id;
  if (resource.topic === 'billing-statement-line-items' && typeof parent === 'string')
    return suggest('check', parent, account);
  if (ids.length > 0 && 'get' in resource.operations)
    return `Check: centavo ${resource.topic} get ${ids.map(shellQuote).join(' ')}${account}`;
  if (resource.topic === 'customers' && typeof params.email === 'string')
    return `Check: centavo customers list --email ${shellQuote(params.email)}${account}`;
  if ('list' in resource.operations) return `Check: centavo ${resource.topic} list --limit 5${account}`;
  if (typeof params.payment_id === 'string')
    return `Check: centavo payments get ${shellQuote(params.payment_id)}${account}`;
  return `The API cannot list ${resource.shape.title}s. Check your dashboard before you try again.`;
}

/** Suggests reading the object or list in a path, for a request outside the contract. */
export const checkRequest = (path: string, account: string): string =>
  `Check: centavo api GET ${shellQuote(path.split('/').slice(0, 3).join('/'))}${account}`;

const NOT_REPEATED = 'The request was not repeated.';

/** No read shows whether an email was sent, so centavo never resends it automatically. */
export const unknownSend = (error: CentavoError, id: string): CentavoError =>
  new CentavoError('outcome_unknown', `centavo could not confirm whether ${id} was sent.`, {
    ...error.details,
    // The outcome is unknown, so the error must not say what was sent.
    changed: error.details.why?.endsWith(NOT_REPEATED) ? '' : NOT_REPEATED,
    hint: askBeforeRepeating('sent'),
  });

export const askBeforeRepeating = (what: string): string =>
  `centavo cannot check whether it was ${what}. Ask the customer or check your dashboard before you try again.`;
