// A change as the guard sees it: what the command line tells of it, and how the rest can be found out.

import type {Context} from '../../context.js';
import {shapeOfId, type RegisteredOperation} from '../../api/registry.js';
import {withNextCommand} from '../perform.js';
import {CentavoError} from '../../errors.js';
import type {Hash} from './amounts.js';
import {createSight, type Call, type Seen} from './sight.js';
import {stakesOf, type Stakes} from './stakes.js';

export interface Change {
  /** `billing-statements finalize`: for the history. */
  readonly command: string;
  /** Of the contract, where it is one: public keys may do one thing only. */
  readonly operation?: string;
  /** What is destroyed is asked about in every mode, at a terminal; and so is what is done to several. */
  readonly asks: boolean;
  /** Ids that are named. */
  readonly ids: readonly string[];
  /** What the command line alone tells. */
  readonly told: Stakes;
  /** Reads what else there is to know. @throws CentavoError what could not be read */
  readonly look: () => Promise<Stakes>;
}

/** So many objects are read at a time. */
const AT_A_TIME = 8;

/**
 * An operation on each of these targets.
 * @param request what was typed, when it was a request: `DELETE /customers/cus_…`
 */
export function changeOf(
  context: Context,
  registered: RegisteredOperation,
  targets: readonly (readonly string[])[],
  params: Hash,
  request?: string,
): Change {
  const calls = targets.map((ids) => ({registered, ids, params}));
  const stakes = (seen?: readonly Seen[]): Stakes => {
    const found = stakesOf(calls, seen);
    return request === undefined ? found : {...found, what: `${request}: ${found.what}`};
  };
  return {
    command: `${request === undefined ? '' : 'api '}${registered.id.replace(':', ' ')}`,
    operation: registered.id,
    asks: registered.operation.destroys === true || targets.length > 1,
    ids: idsIn([...targets.flat(), ...Object.values(params)]),
    told: stakes(),
    look: async () => stakes(await lookAt(context, calls)),
  };
}

/** A request that the contract does not have: nothing is known of it. */
export function changeOfRequest(request: string, params: Hash): Change {
  const told = {
    what: request,
    amounts: [{of: request, amount: {unknown: 'This request is not one that centavo knows.'}}],
    statements: 0,
  };
  return {
    command: 'api',
    asks: request.startsWith('DELETE '),
    ids: idsIn([...request.split('/'), ...Object.values(params)]),
    told,
    look: async () => told,
  };
}

/** A change about no object that is there yet, and no amount. @param what its words: `register a webhook` */
export function plainChange(command: string, what: string): Change {
  const told = {what, amounts: [], statements: 0};
  return {command, asks: false, ids: [], told, look: async () => told};
}

/** Those of the values that are ids; nothing else, so that no secret is among them. */
export const idsIn = (values: readonly unknown[]): string[] => [
  ...new Set(values.filter((value): value is string => typeof value === 'string' && shapeOfId(value) !== undefined)),
];

async function lookAt(context: Context, calls: readonly Call[]): Promise<Seen[]> {
  const see = createSight(await context.client(), context.signal);
  const seen: Seen[] = [];
  for (let at = 0; at < calls.length; at += AT_A_TIME) {
    const some = calls.slice(at, at + AT_A_TIME).map(async (call) => {
      try {
        return await see(call);
      } catch (error) {
        if (!(error instanceof CentavoError)) throw error;
        throw withNextCommand(context, error, call.registered, call.ids, call.params);
      }
    });
    seen.push(...(await Promise.all(some)));
  }
  return seen;
}
