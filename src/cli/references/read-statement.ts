// Reads the billing statement of a command by its reference.

import {getterOf} from '../../api/registry.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../ground/errors.js';
import {printRequests, type RequestForm} from '../dry-run.js';
import {proposing} from '../next-command.js';
import {Args} from '../oclif.js';
import type {Reference} from './references.js';
import {resolveReferences} from './resolve-reference.js';

export const statementArgument = Args.string({
  description: 'Number or id of the billing statement.',
  helpValue: '<bstm_…>',
});

/** See {@link ReferenceOptions} for `changes` and `status`. */
export async function readStatement(
  context: Context,
  reference: Reference,
  {changes, status}: {readonly changes: boolean; readonly status?: string},
): Promise<Statement> {
  const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {name: 'the statement', changes, status});
  const client = await context.client();
  const call = {registered: getterOf('bstm_')!, ids: [id], params: {}};
  const statement = (await client.billingStatements
    .get(id, {signal: context.signal})
    .catch(proposing(context, call))) as Statement;
  if (statement.deleted)
    throw new CentavoError('not_found', `billing statement ${id} was deleted.`, {code: 'resource_not_found'});
  return statement;
}

/** Shows the request that would read a statement. */
export async function printRead(context: Context, reference: Reference, form: RequestForm): Promise<undefined> {
  const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {name: 'the statement', changes: false});
  const builder = await context.requestBuilder();
  const request = builder.requestOf({...getterOf('bstm_')!, ids: [id], params: {}});
  return printRequests(context, await context.connection(), form, [request]);
}
