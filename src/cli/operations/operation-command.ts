// Makes a command from an operation of the contract.

import {isWrite, pathIds, riskOf} from '../../api/operation.js';
import {pathPrefixes, type RegisteredOperation} from '../../api/registry.js';
import {usageError, type Applied} from '../../ground/errors.js';
import type {Change} from '../../guard/change.js';
import {guardChange, guardConnection, guardLookUp} from '../../guard/guard.js';
import type {Result} from '../../output/result.js';
import {BaseCommand, CALL_EXITS, CHANGE_EXITS, type CommandClass} from '../base.js';
import {printRequests} from '../dry-run.js';
import type {GlobalFlags} from '../global-flags.js';
import {constant, dryRun, either, list, objectNamed, page, record, type Schema, text} from '../json-schema.js';
import {isFiltered, listFlags, type ListFlags} from '../lists/list-flags.js';
import {listItems} from '../lists/list.js';
import {proposing} from '../next-command.js';
import {Args} from '../oclif.js';
import {needsLookUp} from '../references/references.js';
import {dataFlag, type FlagSpec, flagSpecs, type FlagValues, oclifFlags} from './flags.js';
import type {Looked} from './look-first.js';
import {
  gatherParams,
  gatherReferences,
  namesSeveral,
  resolveParams,
  resolveTargets,
  type ArgumentValues,
  type DataFlag,
} from './params.js';
import {performOne} from './perform.js';

/** Several ids can be given if the operation takes one id and no parameters, except the secret of a single object. */
const takesSeveral = ({operation}: RegisteredOperation): boolean =>
  pathIds(operation.path).length === 1 &&
  Object.values(operation.params).every(({kind}) => kind === 'secret') &&
  operation.returns.kind !== 'list';

function argsOf(registered: RegisteredOperation) {
  const several = takesSeveral(registered);
  const prefixes = pathPrefixes(registered.resource, registered.operation);
  return Object.fromEntries(
    pathIds(registered.operation.path).map((name, index) => [
      name,
      Args.string({
        description: `${describeReference(prefixes[index]!)}${several ? '. Give several, or - to read ids from stdin' : ''}.`,
        helpValue: `<${prefixes[index]}…>`,
        ...(several && {multiple: true as const}),
      } as Record<string, unknown>),
    ]),
  );
}

const describeReference = (prefix: string): string =>
  prefix === 'bstm_'
    ? 'Number, or id that starts with bstm_'
    : prefix === 'cus_'
      ? 'Email address, name, or id that starts with cus_'
      : prefix === 'bstm_li_'
        ? 'Number and place in the statement, JEEPNEY-0002#2, or id that starts with bstm_li_'
        : `Id that starts with ${prefix}`;

function flagsOf(registered: RegisteredOperation, specs: readonly FlagSpec[]) {
  const {operation} = registered;
  const list = operation.returns.kind === 'list';
  return {
    ...oclifFlags(specs),
    ...(list && listFlags(operation)),
    ...(!list && Object.keys(operation.params).length > 0 && dataFlag),
  };
}

/** `customers get <id> [flags]` */
function usageOf(registered: RegisteredOperation): string {
  const ids = pathIds(registered.operation.path).map((name) => `<${name.replaceAll('_', '-')}>`);
  return `${registered.id.replace(':', ' ')} ${ids.join(' ')}${takesSeveral(registered) ? '...' : ''} [flags]`.replace(
    '  ',
    ' ',
  );
}

/** The schema of --json: several ids give a list. */
function outputOf(registered: RegisteredOperation): Schema {
  const {kind, shape} = registered.operation.returns;
  if (kind === 'list') return either(page(objectNamed(shape.name)), dryRun);
  const one =
    kind === 'deleted'
      ? record({id: text, resource: constant(shape.name), deleted: constant(true)})
      : kind === 'nothing'
        ? record({id: text, resource: constant(shape.name)}, {done: text})
        : objectNamed(shape.name);
  return either(one, ...(takesSeveral(registered) ? [list(one)] : []), dryRun);
}

/** The flags of the contract are known only at run time. */
type OperationFlags = FlagValues & GlobalFlags & ListFlags & DataFlag;

export function commandOf(registered: RegisteredOperation): CommandClass {
  const {operation} = registered;
  const specs = flagSpecs(operation.params);
  const secret = specs.find(({field}) => field.kind === 'secret');

  class OperationCommand extends BaseCommand {
    static override summary = `${operation.summary}.`;
    // Assumptions about the API are in docs/assumptions.md, not in help.
    static override description = operation.description ?? '';
    static override examples = operation.examples.map((line) => `<%= config.bin %> ${line}`);
    static override usage = usageOf(registered);
    static override args = argsOf(registered);
    static override flags = flagsOf(registered, specs) as never;
    static risk = riskOf(operation);
    static exits = [
      ...(isWrite(operation) ? CHANGE_EXITS : CALL_EXITS),
      ...(takesSeveral(registered) ? (['partial'] as const) : []),
    ];
    static output = () => outputOf(registered);

    async run(): Promise<unknown> {
      const {flags, args}: {flags: OperationFlags; args: ArgumentValues} = await this.read(OperationCommand);
      const {context} = this;
      // A public key can read an object with its client secret.
      const publicWillDo = secret !== undefined && flags[secret.flag] !== undefined;
      const connection = await context.connection({publicWillDo});
      guardConnection(connection, flags, registered.id);
      if (operation.returns.kind === 'list') {
        if (flags.before && flags.after)
          throw usageError('only one of --before and --after can be given.', {code: 'invalid_flag'});
        return this.list(flags, args);
      }
      const named = await gatherReferences(context, registered, args);
      const given = await gatherParams(context, registered, specs, flags);
      if (namesSeveral(args) && Object.keys(given.params).length > 0)
        throw usageError(`--${secret!.flag} and --data are for one ${operation.returns.shape.title}.`, {
          code: 'invalid_flag',
        });
      const looksUp = needsLookUp(named.flat()) || given.references.length > 0;
      if (looksUp && isWrite(operation) && !flags['dry-run']) {
        const {changeOf} = await import('../../guard/change.js');
        const typed = named.map((references) => references.map(({text}) => text));
        await guardLookUp(context, flags, changeOf(context, registered, typed, given.params).known);
      }
      const asked = await resolveTargets(context, registered, named);
      const targets = [...new Map(asked.map((ids) => [ids.join(' '), ids])).values()];
      const params = await resolveParams(context, given, specs, isWrite(operation));
      if (flags['dry-run'] || isWrite(operation)) {
        const client = await context.requestBuilder();
        // An invalid request is refused before anything is asked or recorded.
        const requests = targets.map((ids) => client.requestOf({...registered, ids, params}));
        if (flags['dry-run']) return printRequests(context, connection, this.requestForm, requests);
      }
      let looked: Looked | undefined;
      if (isWrite(operation)) {
        // Not loaded for reads.
        const [{changeOf}, {lookFirst}] = await Promise.all([
          import('../../guard/change.js'),
          import('./look-first.js'),
        ]);
        looked = await lookFirst(context, registered, flags, targets);
        const rest = targets.filter(([id]) => id === undefined || !looked!.has(id));
        if (rest.length > 0) {
          if (registered.id === 'billing-statements:send')
            await (await import('./earlier-sends.js')).noteEarlierSends(context, rest.flat());
          const made = changeOf(context, registered, rest, params);
          // Naming several asks, even if only one is left to change.
          const asking = {...made, asks: made.asks || targets.length > 1};
          const change =
            registered.id === 'customers:delete'
              ? await (await import('./customer-changes.js')).sayingWhatIsOwed(context, flags, asking, rest.flat())
              : await this.askingIfShared(asking, rest, params);
          await guardChange(context, flags, change).catch(proposing(context, {registered, ids: [], params}));
        }
      }
      if (namesSeveral(args)) {
        const {performAll} = await import('./perform-all.js');
        return performAll(context, registered, asked, this.rendering, looked);
      }
      const print = (result: Result, applied: Applied) =>
        isWrite(operation) ? this.printDone(result, applied) : this.print(result);
      return performOne(context, registered, targets[0]!, params, print, looked);
    }

    /** At a terminal, asks before two customers have the same email address. */
    private async askingIfShared(
      change: Change,
      targets: readonly (readonly string[])[],
      {email}: Readonly<Record<string, unknown>>,
    ): Promise<Change> {
      const {context} = this;
      const isOfCustomer = registered.resource.topic === 'customers' && typeof email === 'string';
      if (!isOfCustomer || this.globals.yes || !context.io.canAsk) return change;
      // Refused later, without a question.
      if (!this.globals.live && (await context.connection()).mode === 'live') return change;
      const {askingIfShared} = await import('./customer-changes.js');
      return askingIfShared(context, change, email, targets[0]?.[0]);
    }

    private async list(flags: OperationFlags, args: ArgumentValues): Promise<unknown> {
      const {context} = this;
      const named = await gatherReferences(context, registered, args);
      const own = specs.filter(({flag}) => flag !== 'limit');
      const given = await gatherParams(context, registered, own, flags);
      const filters = isFiltered(flags) ? await import('../lists/list-filters.js') : undefined;
      const wanted = filters?.readFilter(flags, await context.accountNow());
      const [ids = []] = await resolveTargets(context, registered, named);
      const params = await resolveParams(context, given, own, false);
      return listItems({
        context,
        registered,
        ids,
        params,
        flags,
        filter: wanted && (await filters!.resolveFilter(context, wanted)),
        argv: this.argv,
        rendering: this.rendering,
        print: (result) => this.print(result),
      });
    }
  }
  Object.defineProperty(OperationCommand, 'name', {
    value: `${registered.method.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Command`,
  });
  return OperationCommand;
}
