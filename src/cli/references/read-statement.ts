// Reads the billing statement that a command refers to.

import {getterOf} from '../../api/registry.js';
import type {BillingStatementData} from '../../billing/statement/plan.js';
import type {Context} from '../../context/context.js';
import {CentavoError} from '../../common/errors.js';
import {printCalls, type RequestForm} from '../dry-run.js';
import {withSuggestion} from '../next-command.js';
import {Args} from '../oclif.js';
import {referenceArgument} from './ask-reference.js';
import type {Reference, ReferenceOptions} from './references.js';
import {resolveReferences} from './resolve-reference.js';

export const statementArgument = Args.string({
  description: 'Number or id of the billing statement, or the name or email address of its customer.',
  helpValue: '<bstm_…>',
});

/** Reads the statement argument, or asks for it. @param example a command, for the error */
export const statementReference = (context: Context, typed: string | undefined, example: string): Promise<Reference> =>
  referenceArgument(context, 'bstm_', typed, `centavo ${example}`);

export async function readStatement(
  context: Context,
  reference: Reference,
  {changes, status}: Pick<ReferenceOptions, 'changes' | 'status'>,
): Promise<BillingStatementData> {
  const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {changes, status});
  const client = await context.client();
  const call = {registered: getterOf('bstm_')!, ids: [id], params: {}};
  const statement = (await client.billingStatements
    .get(id, {signal: context.signal})
    .catch(withSuggestion(context, call))) as BillingStatementData;
  if (statement.deleted)
    throw new CentavoError('not_found', `billing statement ${id} was deleted.`, {code: 'resource_not_found'});
  return statement;
}

export async function printRead(
  context: Context,
  reference: Reference,
  form: RequestForm,
  status?: ReferenceOptions['status'],
): Promise<void> {
  const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {changes: false, status});
  return printCalls(context, form, [{...getterOf('bstm_')!, ids: [id], params: {}}]);
}
