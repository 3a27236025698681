// Suggests commands in errors: to check a change of unknown outcome, or to correct a refused request.

import type {RegisteredOperation} from '../api/registry.js';
import type {Context} from '../context/context.js';
import {CentavoError, nextCommand, type ErrorDetails, type NextCommand} from '../common/errors.js';
import {formatPesos} from '../common/pesos.js';
import type {DescribedCall} from '../guard/describe-change.js';
import {commandText} from '../common/next-text.js';
import {kindOfName} from '../output/format.js';
import {accountArgs, lacksDate, nextStep, type StepId} from './next-steps.js';

/** Prints the next command at a terminal. @param named ids or names of the objects */
export function suggestNext(context: Context, step: StepId, named: string | readonly string[] = []): void {
  const {io} = context;
  if (io.canAsk && io.stdoutIsTerminal)
    io.note(commandText(nextStep(step, named, accountArgs(context))), {style: 'dim'});
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
  const {hint, next, applied} = error.details;
  if (hint || next) return error;
  const account = accountArgs(context);
  if (applied === 'unknown') return error.with(checkCommand(registered, ids.slice(0, 1), params, account));
  if (error.kind === 'not_found') return error.with(listStep(registered, account));
  return error.kind === 'rejected' && ids.length === 1 ? error.with(stateStep(call, error, account)) : error;
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

type Step = Pick<ErrorDetails, 'hint' | 'next'>;
type Account = readonly string[];

/** Returns the next command if the API refused an object's state rather than a parameter. */
function stateStep(
  {registered: {resource, verb}, ids: [id = '']}: DescribedCall,
  error: CentavoError,
  account: Account,
) {
  if (verb === 'finalize' && lacksDate(error)) return {next: [nextStep('date_draft', id, account)]};
  const {apiErrors = []} = error.details;
  if (apiErrors.some(({parameter}) => parameter !== undefined) || !('get' in resource.operations)) return {};
  return {next: [nextCommand('See its status', `${resource.topic} get`, id, account)]};
}

const listStep = ({resource}: RegisteredOperation, account: Account): Step =>
  'list' in resource.operations ? {next: [nextCommand('To look for it', `${resource.topic} list`, account)]} : {};

/** Suggests `centavo billing-statements get bstm_…`, or a list that shows a new object first. */
export function checkCommand(
  {resource, operation}: RegisteredOperation,
  ids: readonly string[],
  params: Readonly<Record<string, unknown>>,
  account: Account,
): Step {
  if (operation.returns.kind === 'nothing' && operation.reaches === undefined)
    return {hint: askBeforeRepeating('sent')};
  const check = (command: string, ...args: readonly string[]): Step => ({
    next: [nextCommand('Check', command, args, account)],
  });
  const {billing_statement_id: parent, email, payment_id: payment} = params;
  const {topic, operations, shape} = resource;
  if (topic === 'billing-statement-line-items' && typeof parent === 'string')
    return {next: [nextStep('check', parent, account)]};
  if (ids.length > 0 && 'get' in operations) return check(`${topic} get`, ...ids);
  if (topic === 'customers' && typeof email === 'string') return check('customers list', '--email', email);
  if ('list' in operations) return check(`${topic} list`, '--limit', '5');
  if (typeof payment === 'string') return check('payments get', payment);
  return {hint: `The API cannot list ${shape.title}s. Check your dashboard before you try again.`};
}

/** Suggests reading the object or list in a path, for a request outside the contract. */
export const checkRequest = (path: string, account: Account): NextCommand =>
  nextCommand('Check', 'api GET', path.split('/').slice(0, 3).join('/'), account);

const NOT_REPEATED = 'The request was not repeated.';

/** No read shows whether an email was sent, so centavo never resends it automatically. */
export const unknownSend = (error: CentavoError, id: string): CentavoError =>
  new CentavoError('outcome_unknown', `centavo could not confirm whether ${id} was sent.`, {
    ...error.details,
    retryable: false,
    needsPerson: true,
    // The outcome is unknown, so the error must not say what was sent.
    changed: error.details.why?.endsWith(NOT_REPEATED) ? '' : NOT_REPEATED,
    hint: askBeforeRepeating('sent'),
  });

export const askBeforeRepeating = (what: string): string =>
  `centavo cannot check whether it was ${what}. Ask the customer or check your dashboard before you try again.`;
