// The types of resources and operations, from which client, commands, sandbox and reference are derived.

import type {Fields, InputOf, OutputOf} from './fields.js';
import type {HttpMethod} from './wire.js';

interface TableColumn {
  /** On a narrow terminal, the highest rank is dropped first. Ranks 1 to 3 are never dropped. */
  readonly rank: number;
  /** Allows shortening on a narrow terminal: names first, addresses only if nothing else helps. */
  readonly cut?: 'address' | 'name';
  /** The heading, if the field's name is too long. */
  readonly header?: string;
}

export interface Shape<F extends Fields = Fields, Name extends string = string, Prefix extends string = string> {
  /** The fixed `resource` value on the wire. */
  readonly name: Name;
  /** The name of an object in a sentence, such as `billing statement`. */
  readonly title: string;
  readonly prefix: Prefix;
  /** Prefix of the ids in sandbox files of centavo 0.6 and earlier. */
  readonly oldPrefix?: string;
  readonly fields: F;
  /** Fields of a row in a pipe. Scripts rely on their order, so new fields go at the end. */
  readonly columns: readonly string[];
  /** The columns of a table at a terminal, by field. A number is the column's rank. */
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
  /** `:id` is the resource's own id. Another name, such as `:customer_id`, gives the kind of object. */
  readonly path: Path;
  /** One line for help, in the imperative, without a full stop. */
  readonly summary: string;
  readonly description?: string;
  /** Body fields of POST and PUT, query fields of GET. */
  readonly params: P;
  readonly returns: R;
  /** Command lines without the program's name. The reference shows the first example. */
  readonly examples: readonly [string, ...string[]];
  /** The resulting status. After a lost response, a read tells the outcome. Repeating the operation succeeds. */
  readonly reaches?: string;
  /** Deletes permanently, so commands ask for confirmation at a terminal. */
  readonly destroys?: true;
  readonly money?: 'bills' | 'moves_money';
  /** The reason for this definition if the specification is silent. */
  readonly assumed?: string;
}

export interface Resource<
  S extends Shape = Shape,
  O extends Readonly<Record<string, Operation>> = Readonly<Record<string, Operation>>,
> {
  /** Plural name in kebab case, the topic of commands. In camel case, the client's property. */
  readonly topic: string;
  readonly summary: string;
  readonly shape: S;
  /** By verb in kebab case. In camel case, the verb is the client's method. */
  readonly operations: O;
}

export interface OperationCall {
  readonly resource: Resource;
  readonly operation: Operation;
  readonly verb: string;
  readonly ids: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
}

export const defineShape = <const F extends Fields, const Name extends string, const Prefix extends string>(
  shape: Shape<F, Name, Prefix> & {columns: readonly (keyof F & string)[]},
): Shape<F, Name, Prefix> => shape;

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

/** Defines a GET operation: `GET('/customers/:id', returns.one(customerShape), {summary: …, examples: […]})`. */
export const GET = requestBy('GET');
export const POST = requestBy('POST');
export const PUT = requestBy('PUT');
export const DELETE = requestBy('DELETE');

/** The kinds of response of an operation. */
export const returns = {
  one: <S extends Shape>(shape: S) => ({kind: 'one', shape}) as const,
  listOf: <S extends Shape>(shape: S) => ({kind: 'list', shape}) as const,
  deleted: <S extends Shape>(shape: S) => ({kind: 'deleted', shape}) as const,
  nothing: <S extends Shape>(shape: S) => ({kind: 'nothing', shape}) as const,
};

/** Returns the names of a path's ids, in order: `['id']` for `/customers/:id`. */
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

/** The object of a shape in a response, without what src/api/types.ts adds. */
export type ObjectOf<S> = S extends Shape<infer F> ? OutputOf<F> : never;

export type ParamsOf<O extends Operation> = InputOf<O['params']>;
