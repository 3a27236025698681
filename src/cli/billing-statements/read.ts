// Reads the billing statement that a command is about, by whatever a person calls it.

import {numberOf} from '../../api/statement.js';
import {getterOf} from '../../api/registry.js';
import type {Statement} from '../../billing/compose/plan.js';
import type {Context} from '../../context.js';
import {CentavoError} from '../../errors.js';
import {Args} from '../oclif.js';
import {printRequests, type RequestForm} from '../dry-run.js';
import {proposing} from '../next-command.js';
import type {Reference} from '../references/references.js';
import {resolveReferences} from '../references/resolve-reference.js';

/** The argument of commands about one statement. */
export const statementArgument = Args.string({
  description: 'Number or id of the billing statement.',
  helpValue: '<bstm_…>',
});

/** `JEEPNEY-0002`, or the id of a statement without a number. */
export const nameOf = (statement: Statement): string => numberOf(statement) ?? statement.id;

/**
 * @param changes whether the command changes something
 * @param status of the statements that are meant, where a customer names them
 * @throws CentavoError kind `usage` or `not_found` when the reference means none or several, and those of the read
 */
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

/** Shows the request that reads a statement, without sending it. */
export async function printRead(context: Context, reference: Reference, form: RequestForm): Promise<undefined> {
  const [id = ''] = await resolveReferences(context, 'bstm_', [reference], {name: 'the statement', changes: false});
  const builder = await context.requestBuilder();
  const request = builder.requestOf({...getterOf('bstm_')!, ids: [id], params: {}});
  return printRequests(context, await context.connection(), form, [request]);
}
