// Makes a command from an operation of the contract.

import {isWrite, pathIds, riskOf} from '../../api/operation.js';
import {getterOf, pathPrefixes, shapeOfId, type RegisteredOperation} from '../../api/registry.js';
import {usageError, type Applied} from '../../common/errors.js';
import {guardConnection, guardBeforeReading} from '../../guard/guard.js';
import type {CommandResult} from '../../output/result.js';
import {BaseCommand, CALL_EXITS, CHANGE_EXITS, type CommandClass} from '../base.js';
import {printRequests} from '../dry-run.js';
import type {GlobalFlags} from '../global-flags.js';
import {accountFlagsOf} from '../next-steps.js';
import * as schema from '../schema.js';
import {isFiltered, listFlags, type ListFlags} from '../lists/list-flags.js';
import {runList} from '../lists/run-list.js';
import {Args} from '../oclif.js';
import {needsLookup} from '../references/references.js';
import {
  allowOwedFlag,
  dataFlag,
  type FlagSpec,
  flagSpecs,
  type FlagValues,
  idempotencyKeyFlag,
  oclifFlags,
} from './flags.js';
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

/** True if the command accepts several ids: the operation takes one id, and no parameter but a secret. */
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
    ? 'Number, name of the customer, or id that starts with bstm_'
    : prefix === 'cus_'
      ? 'Email address, name, or id that starts with cus_'
      : prefix === 'bstm_li_'
        ? 'Statement and item number, JEEPNEY-0002#2, or id that starts with bstm_li_'
        : `Id that starts with ${prefix}`;

/** True for what makes an object, moves money or emails: its second run would do that twice. */
const takesKey = ({id, verb}: RegisteredOperation): boolean =>
  verb === 'create' || id === 'payment-intents:capture' || id === 'billing-statements:send';

function flagsOf(registered: RegisteredOperation, specs: readonly FlagSpec[]) {
  const {operation} = registered;
  const list = operation.returns.kind === 'list';
  return {
    ...oclifFlags(specs),
    ...(list && listFlags(operation)),
    ...(registered.id === 'customers:delete' && allowOwedFlag),
    ...(takesKey(registered) && idempotencyKeyFlag),
    ...(!list && Object.keys(operation.params).length > 0 && dataFlag),
  };
}

function outputOf(registered: RegisteredOperation): schema.Schema {
  const {kind, shape} = registered.operation.returns;
  const notSeen = shape.name === 'billing_statement' ? {not_seen: schema.list(schema.text)} : undefined;
  if (kind === 'list') return schema.either(schema.page(schema.objectNamed(shape.name), {}, notSeen), schema.dryRun);
  const one =
    kind === 'deleted'
      ? schema.record({id: schema.text, resource: schema.constant(shape.name), deleted: schema.constant(true)})
      : schema.objectNamed(shape.name);
  return schema.either(one, ...(takesSeveral(registered) ? [schema.page(one)] : []), schema.dryRun);
}

/** Flags of any operation. The names of the flags are known only at run time. */
export type OperationFlags = FlagValues & GlobalFlags & ListFlags & DataFlag;

export abstract class OperationCommand extends BaseCommand {
  protected abstract readonly registered: RegisteredOperation;
  protected abstract readonly specs: readonly FlagSpec[];
  /** Replaces the operation. @param ids the object's ids; undefined for several objects @returns true if replaced */
  protected runInstead?(ids: readonly string[] | undefined, flags: OperationFlags): Promise<boolean>;

  async run(): Promise<unknown> {
    const {context, registered, specs} = this;
    const {operation} = registered;
    const {flags, args} = (await this.read(this.constructor as never)) as {flags: OperationFlags; args: ArgumentValues};
    const secret = secretOf(specs);
    // A public key can read an object with its client secret.
    const acceptsPublicKey = secret !== undefined && flags[secret.flag] !== undefined;
    guardConnection(await context.connection({acceptsPublicKey}), registered.id);
    if (operation.returns.kind === 'list') return this.list(flags, args);
    const named = await gatherReferences(context, registered, args);
    const given = await gatherParams(context, registered, specs, flags);
    if (namesSeveral(args) && Object.keys(given.params).length > 0)
      throw usageError('invalid_flag', `--${secret!.flag} and --data are for one ${operation.returns.shape.title}.`);
    const writes = isWrite(operation);
    if (writes && !flags['dry-run'] && (needsLookup(named.flat()) || given.references.length > 0)) {
      const {changeOf} = await import('../../guard/change.js');
      const typed = named.map((references) => references.map(({text}) => text));
      await guardBeforeReading(context, flags, changeOf(context, registered, typed, given.params).known);
    }
    const asked = await resolveTargets(context, registered, named);
    const targets = [...new Map(asked.map((ids) => [ids.join(' '), ids])).values()];
    if (await this.runInstead?.(namesSeveral(args) ? undefined : targets[0], flags)) return;
    const params = await resolveParams(context, given, specs, registered);
    if (flags['dry-run'] || writes) {
      const client = await context.requestBuilder();
      // Refuse an invalid request before anything is asked or recorded.
      const requests = targets.map((ids) => client.requestOf({...registered, ids, params}));
      if (flags['dry-run']) {
        const {changeOf} = await import('../../guard/change.js');
        const change = writes ? changeOf(context, registered, targets, params) : undefined;
        return printRequests(context, this.requestForm, requests, change);
      }
    }
    const states = writes
      ? await (await import('./guard-operation.js')).guardOperation(context, registered, flags, targets, params)
      : undefined;
    if (namesSeveral(args)) {
      const {performBatch} = await import('./perform-batch.js');
      return performBatch(context, registered, asked, this.rendering, states);
    }
    const print = (result: CommandResult, applied: Applied) =>
      writes ? this.printDone(result, applied) : this.print(result);
    return performOne(context, registered, targets[0]!, params, print, states);
  }

  /** Shows the secret of a new webhook. For other secrets, names the command that shows them. */
  protected override async printDone(result: CommandResult, applied?: Applied): Promise<void> {
    const {context, registered} = this;
    const {io} = context;
    const [{id, secret_key: secret} = {}] = result.rows as readonly {id?: string; secret_key?: unknown}[];
    const isNew = registered.id === 'webhooks:create';
    // Another field may hold a secret of another object.
    const hide = <T>(value: T): T => ({...io.hide({...value, secret_key: undefined}), secret_key: secret});
    const hideOthers = ({rows, shown, document, ...rest}: CommandResult): CommandResult => ({
      ...{...rest, rows: rows.map(hide), shown: shown?.map(hide), document: hide(document)},
    });
    const printed = isNew ? hideOthers(result) : result;
    if (isNew) io.settings.reveal = true;
    await super.printDone(printed, applied);
    if (isNew && io.settings.reveal) io.note('Save secret_key. Your app needs it, and the API may mask it later.');
    // To run a change again with --reveal would repeat it.
    const getter = id === undefined ? undefined : getterOf(shapeOfId(id)?.prefix ?? '');
    if (getter) io.noteHiddenSecrets(`: centavo ${getter.resource.topic} get ${id}${accountFlagsOf(context)} --reveal`);
  }

  private async list(flags: OperationFlags, args: ArgumentValues): Promise<void> {
    const {context, registered, specs} = this;
    if (flags.before && flags.after) throw usageError('invalid_flag', 'use --before or --after, not both.');
    const named = await gatherReferences(context, registered, args);
    const filterSpecs = specs.filter(({flag}) => flag !== 'limit');
    const given = await gatherParams(context, registered, filterSpecs, flags);
    const filters = isFiltered(flags) ? await import('../lists/list-filters.js') : undefined;
    const filter = filters?.readFilter(flags, await context.accountNow());
    const [ids = []] = await resolveTargets(context, registered, named);
    const params = await resolveParams(context, given, filterSpecs, registered);
    return runList({
      context,
      registered,
      ids,
      params,
      flags,
      filter: filter && (await filters!.resolveFilter(context, filter)),
      argv: this.argv,
      rendering: this.rendering,
      print: (result) => this.print(result),
    });
  }
}

const secretOf = (specs: readonly FlagSpec[]): FlagSpec | undefined => specs.find(({field}) => field.kind === 'secret');

export function commandOf(registered: RegisteredOperation): CommandClass {
  const {operation} = registered;
  const specs = flagSpecs(operation.params);

  class Derived extends OperationCommand {
    static override summary = `${operation.summary}.`;
    // Assumptions about the API are in docs/assumptions.md, not in help.
    static override description = operation.description ?? '';
    static override examples = operation.examples.map((line) => `<%= config.bin %> ${line}`);
    static override args = argsOf(registered);
    static override flags = flagsOf(registered, specs) as never;
    static risk = riskOf(operation);
    static agents = isWrite(operation) ? ('hands_over' as const) : undefined;
    static exits = [
      ...(isWrite(operation) ? CHANGE_EXITS : CALL_EXITS),
      ...(takesSeveral(registered) ? (['partial'] as const) : []),
    ];
    static output = () => outputOf(registered);
    protected readonly registered = registered;
    protected readonly specs = specs;
  }
  Object.defineProperty(Derived, 'name', {
    value: `${registered.clientName.replace(/(?:^|\.)(\w)/g, (_, letter: string) => letter.toUpperCase())}Command`,
  });
  return Derived;
}
