// Reads the ids and parameters of an operation from arguments, flags, --data and stdin, or asks for them.

import type {Fields} from '../../api/fields.js';
import {isWrite, pathIds, type Operation} from '../../api/operation.js';
import {pathPrefixes, type RegisteredOperation} from '../../api/registry.js';
import type {Context} from '../../context/context.js';
import {capitalized, nextCommand, usageError} from '../../common/errors.js';
import {InvalidInput, valueOrThrow} from '../../input/invalid-input.js';
import {readData, readJsonObject} from '../../input/pairs.js';
import {accountArgs} from '../next-steps.js';
import {askUntilValid, askReference} from '../references/ask-reference.js';
import {
  idsOfInput,
  isNameLike,
  needsLookup,
  readReference,
  type Reference,
  type ReferenceOptions,
} from '../references/references.js';
import {isKnownEvent, unknownEventNote} from './event-names.js';
import {type FlagSpec, type FlagValues, readFlags, readValue} from './flags.js';

export interface DataFlag {
  readonly data?: readonly string[];
}

export type ArgumentValues = Readonly<Record<string, string | readonly string[] | undefined>>;

/** True if several ids were given, or `-`, which may stand for any number of ids. */
export const namesSeveral = (args: ArgumentValues): boolean => {
  const [first] = Object.values(args);
  return typeof first === 'object' && (first.length > 1 || first[0] === '-');
};

export async function gatherReferences(
  context: Context,
  registered: RegisteredOperation,
  args: ArgumentValues,
): Promise<Reference[][]> {
  const names = pathIds(registered.operation.path);
  if (names.length === 0) return [[]];
  const prefixes = pathPrefixes(registered.resource, registered.operation);
  const given = names.map((name) => args[name]);

  const [first] = given;
  if (typeof first === 'object') {
    const texts = first.length === 1 && first[0] === '-' ? idsOfInput(await context.readInput()) : first;
    return texts.map((text) => [referenceOf(context, text, prefixes[0]!)]);
  }
  const references: Reference[] = [];
  for (const [index, text] of given.entries()) {
    const prefix = prefixes[index]!;
    references.push(
      text === undefined
        ? await askReference(context, prefix, `<${names[index]!.replaceAll('_', '-')}>`)
        : referenceOf(context, String(text), prefix),
    );
  }
  return [references];
}

/** @throws CentavoError that leads on to `get`, which finds a session or an intent by the user's own reference */
function referenceOf(context: Context, text: string, prefix: string): Reference {
  const read = readReference(text, prefix);
  if (!(read instanceof InvalidInput) || !/^(?:cs|pi)_$/.test(prefix) || !isNameLike(text.trim()))
    return valueOrThrow(read);
  const next = [nextCommand('To find it by your own reference', 'get', text, accountArgs(context))];
  throw new InvalidInput(read.problem, {code: 'invalid_id', next}).toError('');
}

async function idsOf(context: Context, prefix: string, references: readonly Reference[], options: ReferenceOptions) {
  if (!needsLookup(references)) return references.map(({text}) => text);
  const {resolveReferences} = await import('../references/resolve-reference.js');
  return resolveReferences(context, prefix, references, options);
}

/** Statuses that a verb requires, which select among the statements of a named customer. */
const REQUIRED_STATUSES: Readonly<Record<string, ReferenceOptions['status']>> = {
  create: 'draft',
  delete: 'draft',
  finalize: 'draft',
  'mark-uncollectible': 'open',
  send: ['open', 'draft'],
  update: 'draft',
  void: 'open',
};

export async function resolveTargets(
  context: Context,
  {resource, operation, verb}: RegisteredOperation,
  targets: readonly (readonly Reference[])[],
): Promise<string[][]> {
  const prefixes = pathPrefixes(resource, operation);
  // The question before voiding or deleting a statement shows its number, amount and customer.
  const namedInQuestion = operation.destroys === true && targets.length === 1 && prefixes[0] === 'bstm_';
  const options = {changes: isWrite(operation), namedInQuestion, status: REQUIRED_STATUSES[verb]};
  const found: string[][] = [];
  for (const [place, prefix] of prefixes.entries()) {
    const references = targets.map((each) => each[place]!);
    found.push(await idsOf(context, prefix, references, options));
  }
  return targets.map((_, index) => found.map((ids) => ids[index]!));
}

export interface GivenParams {
  readonly params: Readonly<Record<string, unknown>>;
  readonly references: readonly {readonly parameter: string; readonly flag: string; readonly reference: Reference}[];
}

export async function gatherParams(
  context: Context,
  {operation}: RegisteredOperation,
  specs: readonly FlagSpec[],
  flags: FlagValues & DataFlag,
): Promise<GivenParams> {
  const hasDates = specs.some(({field, flag}) => field.kind === 'timestamp' && flags[flag] !== undefined);
  const now = hasDates ? await context.plannedAt() : context.now();
  const data = await readDataFlag(context, flags.data);
  const params: Record<string, unknown> = {
    ...constants(operation.params),
    ...readFlags(specs, flags, now),
    ...data,
  };
  for (const spec of specs) {
    const [name] = spec.path;
    if (!spec.field.required || spec.path.length > 1 || params[name!] !== undefined) continue;
    params[name!] = await askValue(context, operation, spec, specs, params);
  }
  await echoDates(context, specs, params);
  noteUnknownEvents(context, specs, params);
  return {params, references: referencesIn(specs, params, data)};
}

/** @param data parameters from --data, which are sent unchanged */
function referencesIn(
  specs: readonly FlagSpec[],
  params: Readonly<Record<string, unknown>>,
  data: object,
): GivenParams['references'] {
  return specs.flatMap(({flag, field: {kind, prefix}, path: [parameter]}) => {
    const text = params[parameter!];
    if (kind !== 'id' || typeof text !== 'string' || Object.hasOwn(data, parameter!)) return [];
    const reference = valueOrThrow(readReference(text, prefix!));
    return reference.kind === 'id' ? [] : [{parameter: parameter!, flag, reference}];
  });
}

export async function resolveParams(
  context: Context,
  {params, references}: GivenParams,
  specs: readonly FlagSpec[],
  {operation, verb}: RegisteredOperation,
): Promise<Record<string, unknown>> {
  const resolved: Record<string, unknown> = {...params};
  for (const {parameter, flag, reference} of references) {
    const {prefix} = specs.find((spec) => spec.flag === flag)!.field;
    const [id] = await idsOf(context, prefix!, [reference], {
      changes: isWrite(operation),
      status: REQUIRED_STATUSES[verb],
    });
    resolved[parameter] = id;
  }
  return resolved;
}

function noteUnknownEvents({io}: Context, specs: readonly FlagSpec[], params: Readonly<Record<string, unknown>>): void {
  for (const {field, path} of specs) {
    const names = params[path[0]!];
    if (field.events && Array.isArray(names))
      for (const name of names.map(String)) if (!isKnownEvent(name)) io.note(unknownEventNote(name));
  }
}

/** Fills in currency parameters, because PHP is the only currency. */
const constants = (params: Fields): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(params)
      .filter(([, field]) => field.kind === 'currency')
      .map(([name]) => [name, 'PHP']),
  );

export async function readDataFlag(
  context: Context,
  texts: readonly string[] | undefined,
): Promise<Record<string, unknown>> {
  if (!texts) return {};
  const sources = await Promise.all(
    texts.map(async (text) => {
      const source =
        text === '-'
          ? await context.readInput()
          : text.startsWith('@')
            ? (await context.readFile(text.slice(1), '--data')).toString('utf8')
            : text;
      // A file or stdin must contain a JSON object, not a key=value pair.
      if (source !== text) valueOrThrow(readJsonObject(source), `--data ${text}`);
      return source;
    }),
  );
  return valueOrThrow(readData(sources), '--data');
}

async function askValue(
  context: Context,
  operation: Operation,
  spec: FlagSpec,
  specs: readonly FlagSpec[],
  params: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (!context.io.canAsk) {
    const missing = specs
      .filter(({field, path}) => field.required && path.length === 1 && params[path[0]!] === undefined)
      .map(({flag}) => `--${flag}`);
    throw usageError('missing_flag', `${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing.`, {
      hint: `For example: centavo ${operation.examples[0]}`,
    });
  }
  if (spec.field.choices && spec.field.kind === 'choice') {
    return context.prompt.select(
      spec.field.description.replace(/\.$/, ':'),
      spec.field.choices.map((value) => ({name: capitalized(value.replaceAll('_', ' ')), value})),
    );
  }
  return askUntilValid(context, spec.field.description.replace(/\.$/, ':'), (text) =>
    readValue(spec, text, context.now()),
  );
}

async function echoDates(context: Context, specs: readonly FlagSpec[], params: Readonly<Record<string, unknown>>) {
  for (const {field, flag, path} of specs) {
    const at = params[path[0]!];
    if (field.kind === 'timestamp' && typeof at === 'number' && at >= field.min! && at <= field.max!)
      await (await import('../understood-date.js')).printUnderstoodDate(context, flag, at);
  }
}
