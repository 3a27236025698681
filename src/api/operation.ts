// Types of a resource and an operation. Client methods, commands, sandbox routes and the reference derive from these.

import type {Fields, InputOf, OutputOf} from './fields.js';
import type {Deleted, HttpMethod, ListEnvelope} from './wire.js';

/** A column of a table at a terminal: its rank and options. */
interface TableColumn {
  /** Rank 1 is dropped last when the terminal is narrow; ranks up to 3 are never dropped. */
  readonly rank: number;
  /** May be shortened: a name when the terminal is narrow, an address only when nothing else helps. */
  readonly cut?: 'address' | 'name';
  /** Replaces the name of the field if it is too long. */
  readonly header?: string;
}

/** One kind of object: its wire name, id prefix, fields and table columns. */
export interface Shape<F extends Fields = Fields> {
  /** The fixed `resource` value on the wire. */
  readonly name: string;
  /** The words for one of these in a sentence. */
  readonly title: string;
  readonly prefix: string;
  readonly fields: F;
  /** Fields of a row in a pipe, in order. Scripts count on the order, so more can only be added at the end. */
  readonly columns: readonly string[];
  /** The columns of a table at a terminal, by field, in order of importance, ids last. */
  readonly table: Readonly<Record<string, TableColumn | number>>;
}

export interface Returns {
  readonly kind: 'deleted' | 'list' | 'nothing' | 'one';
  readonly shape: Shape;
}

/** `bills` asks a customer to pay, or creates something payable; `moves_money` charges, collects or returns money. */
export type Risk = 'bills' | 'destroys' | 'moves_money' | 'reads' | 'writes';

export interface Operation<Path extends string = string, P extends Fields = Fields, R extends Returns = Returns> {
  readonly method: HttpMethod;
  /** `:id` is an id of the resource itself; `:customer_id` and the like are ids of the named kind. */
  readonly path: Path;
  /** One line for help, in the imperative, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Body fields of POST and PUT, query fields of GET. */
  readonly params: P;
  readonly returns: R;
  /** Command lines without the program's name; the first stands in the reference. */
  readonly examples: readonly [string, ...string[]];
  /** The status it leads to. If the response is lost, a read settles the outcome; repeating it succeeds. */
  readonly reaches?: string;
  /** Destroys something for good, so a person at a terminal is asked first. */
  readonly destroys?: true;
  readonly money?: 'bills' | 'moves_money';
  /** The reason for this definition if the specification is silent. */
  readonly assumed?: string;
}

export interface Resource<
  S extends Shape = Shape,
  O extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>,
> {
  /** The plural kebab-case name: the command's topic; in camel case the client's property. */
  readonly topic: string;
  readonly summary: string;
  readonly shape: S;
  /** By verb in kebab case; in camel case the client's method. */
  readonly operations: O;
}

/** One call of an operation, for callers that work with the contract itself. */
export interface OperationCall {
  readonly resource: Resource;
  readonly operation: Operation;
  readonly verb: string;
  readonly ids: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

export const defineShape = <const F extends Fields>(
  shape: Shape<F> & {columns: readonly (keyof F & string)[]},
): Shape<F> => shape;

export const defineResource = <
  const T extends string,
  S extends Shape,
  const O extends Readonly<Record<string, Operation>>,
>(
  resource: Resource<S, O> & {readonly topic: T},
): Resource<S, O> & {readonly topic: T} => resource;

const requestBy =
  (method: HttpMethod) =>
  <const Path extends string, R extends Returns, const P extends Fields = {}>(
    path: Path,
    returns: R,
    rest: Omit<Operation, 'method' | 'params' | 'path' | 'returns'> & {readonly params?: P},
  ): Operation<Path, NoInfer<P>, R> => ({...rest, method, path, params: rest.params ?? ({} as P), returns});

/** `GET('/customers/:id', one(customerShape), {summary: …, examples: […]})`: without `params` it has none. */
export const GET = requestBy('GET');
export const POST = requestBy('POST');
export const PUT = requestBy('PUT');
export const DELETE = requestBy('DELETE');

export const returnsOne = <S extends Shape>(shape: S) => ({kind: 'one', shape}) as const;
export const returnsListOf = <S extends Shape>(shape: S) => ({kind: 'list', shape}) as const;
export const returnsDeleted = <S extends Shape>(shape: S) => ({kind: 'deleted', shape}) as const;
export const returnsNothing = <S extends Shape>(shape: S) => ({kind: 'nothing', shape}) as const;

/** The names of a path's ids, in order: `/customers/:id` gives `['id']`. */
export function pathIds(path: string): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1]!);
}

export const isWrite = ({method}: {readonly method: HttpMethod}): boolean => method !== 'GET';

export const riskOf = (operation: Operation): Risk =>
  operation.money ?? (operation.destroys ? 'destroys' : isWrite(operation) ? 'writes' : 'reads');

export const camelCase = (kebab: string): string =>
  kebab.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

// --- types of the client's methods ---

export type CamelCase<T extends string> = T extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : T;

/** One string argument for each id in the path. */
export type IdArguments<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${string}/${infer Tail}`
    ? [id: string, ...IdArguments<`/${Tail}`>]
    : [id: string]
  : [];

export type ObjectOf<S> = S extends Shape<infer F> ? OutputOf<F> : never;

export type ResultOf<O extends Operation> = O['returns'] extends {kind: 'list'; shape: infer S}
  ? ListEnvelope<ObjectOf<S>>
  : O['returns'] extends {kind: 'deleted'}
    ? Deleted
    : O['returns'] extends {kind: 'nothing'}
      ? undefined
      : ObjectOf<O['returns']['shape']>;

export type ParamsOf<O extends Operation> = InputOf<O['params']>;
