// Makes a command of an operation of the contract: flags, the call, and the printed answer.

import {Args} from '../oclif.js';
import {pathPrefixes, type RegisteredOperation} from '../../api/registry.js';
import {isWrite, pathIds, riskOf} from '../../api/operation.js';
import {usageError, type Applied} from '../../errors.js';
import {BaseCommand, CALL_EXITS, CHANGE_EXITS, type CommandClass} from '../base.js';
import type {GlobalFlags} from '../global-flags.js';
import {dataFlag, type FlagSpec, flagSpecs, type FlagValues, oclifFlags} from './flags.js';
import {
  gatherParams,
  gatherReferences,
  namesSeveral,
  resolveParams,
  resolveTargets,
  type ArgumentValues,
  type DataFlag,
} from './params.js';
import {needsLookUp} from '../references/references.js';
import type {Change} from '../../guard/change.js';
import {guardChange, guardConnection, guardLookUp} from '../../guard/guard.js';
import {isFiltered, listFlags, type ListFlags} from '../lists/list-flags.js';
import {listItems} from '../lists/list.js';
import {proposing} from '../next-command.js';
import type {Result} from '../../output/result.js';
import type {Looked} from './look-first.js';
import {performOne} from './perform.js';
import {printRequests} from '../dry-run.js';
import {constant, dryRun, either, list, objectNamed, page, record, type Schema, text} from '../help/json-schema.js';

/** Whether one command may name several ids: the operation takes one id, and no parameters but the secret of one object. */
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

/** The usage line: `centavo customers get <id>`. */
function usageOf(registered: RegisteredOperation): string {
  const ids = pathIds(registered.operation.path).map((name) => `<${name.replaceAll('_', '-')}>`);
  return `${registered.id.replace(':', ' ')} ${ids.join(' ')}${takesSeveral(registered) ? '...' : ''} [flags]`.replace(
    '  ',
    ' ',
  );
}

/** What the command prints with --json: several ids give a list of objects. */
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

/** The flags that come from the contract are known only at run time. */
type OperationFlags = FlagValues & GlobalFlags & ListFlags & DataFlag;

/** The command class of an operation. */
export function commandOf(registered: RegisteredOperation): CommandClass {
  const {operation} = registered;
  const specs = flagSpecs(operation.params);
  const secret = specs.find(({field}) => field.kind === 'secret');

  class OperationCommand extends BaseCommand {
    static override summary = `${operation.summary}.`;
    // What is only assumed of the API stands in README.md: a merchant who asks for help does not need it.
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
      // With its client secret, a public key can read the object.
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
        // What cannot be sent is refused before anything is asked or recorded.
        const requests = targets.map((ids) => client.requestOf({...registered, ids, params}));
        if (flags['dry-run']) return printRequests(context, connection, this.requestForm, requests);
      }
      let looked: Looked | undefined;
      if (isWrite(operation)) {
        // A list needs none of it.
        const [{changeOf}, {lookFirst}] = await Promise.all([
          import('../../guard/change.js'),
          import('./look-first.js'),
        ]);
        looked = await lookFirst(context, registered, flags, targets);
        const rest = targets.filter(([id]) => id === undefined || !looked!.has(id));
        if (rest.length > 0) {
          const made = changeOf(context, registered, rest, params);
          // Whoever names several is asked, though only one may be left to change.
          const asking = {...made, asks: made.asks || targets.length > 1};
          const change =
            registered.id === 'customers:delete'
              ? await (await import('../customers/owing.js')).sayingWhatIsOwed(context, flags, asking, rest.flat())
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

    /** At a terminal, a person is asked before two customers have one email address. @throws CentavoError of the look-up */
    private async askingIfShared(
      change: Change,
      targets: readonly (readonly string[])[],
      {email}: Readonly<Record<string, unknown>>,
    ): Promise<Change> {
      const {context} = this;
      const isOfCustomer = registered.resource.topic === 'customers' && typeof email === 'string';
      if (!isOfCustomer || this.globals.yes || !context.io.canAsk) return change;
      // Without --live it is refused before anything is read.
      if (!this.globals.live && (await context.connection()).mode === 'live') return change;
      const {askingIfShared} = await import('../customers/shared-email.js');
      return askingIfShared(context, change, email, targets[0]?.[0]);
    }

    private async list(flags: OperationFlags, args: ArgumentValues): Promise<unknown> {
      const {context} = this;
      const named = await gatherReferences(context, registered, args);
      const own = specs.filter(({flag}) => flag !== 'limit');
      const given = await gatherParams(context, registered, own, flags);
      const filters = isFiltered(flags) ? await import('../lists/list-filters.js') : undefined;
      const wanted = filters?.readFilter(flags, await (await import('../account-time.js')).accountNow(context));
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
