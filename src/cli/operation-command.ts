// Makes a command of an operation of the contract: flags, the call, and the printed answer.

import {Args, Flags} from './oclif.js';
import {pathPrefixes, type RegisteredOperation} from '../api/registry.js';
import {isWrite, pathIds, riskOf} from '../api/operation.js';
import {MAXIMUM_PAGE} from '../api/fields.js';
import {usageError} from '../errors.js';
import {BaseCommand, CALL_EXITS, CHANGE_EXITS, type CommandClass, type GlobalFlags} from './base.js';
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
import {needsLookUp} from './references.js';
import {guardChange, guardConnection, guardLookUp} from '../guard/guard.js';
import {changeOf} from '../guard/change.js';
import {listItems, type ListFlags} from './list.js';
import {proposing} from './next-command.js';
import {performAll, performOne} from './perform.js';
import {printRequests} from './dry-run.js';
import {constant, dryRun, either, list, objectNamed, page, record, type Schema, text} from './json-schema.js';

/** Whether one command may name several ids: the operation takes one id and no parameters. */
const takesSeveral = ({operation}: RegisteredOperation): boolean =>
  pathIds(operation.path).length === 1 &&
  Object.keys(operation.params).length === 0 &&
  operation.returns.kind !== 'list';

function argsOf(registered: RegisteredOperation) {
  const several = takesSeveral(registered);
  const prefixes = pathPrefixes(registered.resource, registered.operation);
  return Object.fromEntries(
    pathIds(registered.operation.path).map((name, index) => [
      name,
      Args.string({
        description: `${describeReference(prefixes[index]!)}${several ? '; several, or - for ids on stdin' : ''}.`,
        helpValue: `<${prefixes[index]}…>`,
        ...(several && {multiple: true as const}),
      } as Record<string, unknown>),
    ]),
  );
}

const describeReference = (prefix: string): string =>
  prefix === 'bstm_'
    ? 'Number, or id that begins with bstm_'
    : prefix === 'cus_'
      ? 'E-mail address, name, or id that begins with cus_'
      : `Id that begins with ${prefix}`;

/** The statuses by which a list can be filtered. It is filtered here, not by the service. */
const statusChoices = ({operation}: RegisteredOperation): readonly string[] | undefined =>
  operation.returns.kind === 'list' ? operation.returns.shape.fields.status?.choices : undefined;

function flagsOf(registered: RegisteredOperation, specs: readonly FlagSpec[]) {
  const {operation} = registered;
  const statuses = statusChoices(registered);
  const list = operation.returns.kind === 'list';
  return {
    ...oclifFlags(specs),
    ...(list && {
      limit: Flags.string({
        summary: `Maximum number to list. More than ${MAXIMUM_PAGE} takes several requests.`,
        helpValue: '<number>',
      }),
      all: Flags.boolean({summary: 'List everything, page by page.', exclusive: ['limit']}),
    }),
    ...(statuses && {
      status: Flags.string({
        summary: 'Only those with this status. centavo filters page by page; the API has no such filter.',
        options: [...statuses],
      }),
    }),
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
    static override description = [operation.description, operation.assumed && `About the API: ${operation.assumed}`]
      .filter(Boolean)
      .join('\n\n');
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
      const looksUp = needsLookUp(named.flat()) || given.references.length > 0;
      if (looksUp && isWrite(operation) && !flags['dry-run']) {
        const typed = named.map((references) => references.map(({text}) => text));
        await guardLookUp(context, flags, changeOf(context, registered, typed, given.params).known);
      }
      const targets = await resolveTargets(context, registered, named);
      const params = await resolveParams(context, given, specs, isWrite(operation));
      if (flags['dry-run']) {
        const client = await context.requestBuilder();
        const call = (ids: readonly string[]) => client.requestOf({...registered, ids, params});
        return printRequests(context, connection, this.requestForm, targets.map(call));
      }
      if (isWrite(operation) && targets.length > 0) {
        const change = changeOf(context, registered, targets, params);
        await guardChange(context, flags, change).catch(proposing(context, {registered, ids: [], params}));
      }
      if (namesSeveral(args)) return performAll(context, registered, targets, this.rendering);
      return performOne(context, registered, targets[0]!, params, (result, applied) =>
        isWrite(operation) ? this.printDone(result, applied) : this.print(result),
      );
    }

    private async list(flags: OperationFlags, args: ArgumentValues): Promise<unknown> {
      const {context} = this;
      const named = await gatherReferences(context, registered, args);
      const own = specs.filter(({flag}) => flag !== 'limit');
      const given = await gatherParams(context, registered, own, flags);
      const [ids = []] = await resolveTargets(context, registered, named);
      const params = await resolveParams(context, given, own, false);
      return listItems({
        context,
        registered,
        ids,
        params,
        flags,
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
