// The kinds of fields. A kind decides a field's type, bounds, flag and display.

/** Smallest amount that the service collects, in centavos (specification, "Limits"). */
export const MINIMUM_CENTAVOS = 2000;
/** Largest amount that the service collects, in centavos (specification, "Limits"). */
export const MAXIMUM_CENTAVOS = 5_999_999_999;
/** Maximum objects in a page of a list (specification, "Pagination rules"). */
export const MAXIMUM_PAGE = 100;
/** The last second of the year 9999, in unix seconds. A later time is milliseconds by mistake. */
const LATEST_TIME = 253_402_300_799;
/** Longest text on a bank statement, in characters (specification, "Limits"). */
export const STATEMENT_DESCRIPTOR_LENGTH = 22;

export type FieldKind =
  | 'boolean'
  | 'centavos'
  | 'choice'
  | 'currency'
  | 'email'
  | 'hash'
  | 'id'
  | 'integer'
  | 'items'
  | 'list'
  | 'metadata'
  | 'related'
  | 'secret'
  | 'text'
  | 'timestamp'
  | 'url';

/** An id: text that starts with the prefix of its kind. */
export type Id<Prefix extends string> = `${Prefix}${string}`;
/**
 * A value that centavo does not know. Code has to handle it, for example in `default`. The value itself is as the
 * service sent it; only its type starts with `(unlisted)`, so that a misspelled value does not compile.
 */
export type Unlisted = `(unlisted) ${string}`;
/** A known value, or one that the service added later. */
export type Open<Known extends string> = Known | Unlisted;

/** `assumed` gives the reason for a definition if the specification is silent or the service differs. */
export interface FieldTraits {
  readonly required?: boolean;
  readonly nullable?: boolean;
  readonly assumed?: string;
  readonly min?: number;
  readonly max?: number;
  readonly maxLength?: number;
  readonly pattern?: RegExp;
}

/** `In` is the type in requests and `Out` in responses. Both are used only for type inference. */
export interface Field<In = unknown, Required extends boolean = boolean, Out = unknown> extends FieldTraits {
  readonly kind: FieldKind;
  readonly description: string;
  readonly required: Required;
  /** Ids: the prefix of every id. */
  readonly prefix?: string;
  /** Choices, and lists of choices: the values to send. Responses may have other values. */
  readonly choices?: readonly string[];
  /** True for lists whose choices are numbers. */
  readonly areNumbers?: boolean;
  /** Lists of event types: the known types. The service may have others. */
  readonly events?: readonly string[];
  /** Hashes, and lists of hashes: the fields of a hash. */
  readonly fields?: Fields;
  readonly types?: {readonly sent: In; readonly answered: Out};
}

export type Fields = Readonly<Record<string, Field>>;

type Typed<In, T extends FieldTraits, Out> = Field<
  In,
  T extends {readonly required: true} ? true : false,
  T extends {readonly nullable: true} ? Out | null : Out
>;

type SentIn<F> = F extends Field<infer In, boolean> ? In : never;
type RequiredKeys<F extends Fields> = {[K in keyof F]: F[K]['required'] extends true ? K : never}[keyof F];

/** Parameters of a request. Null clears an optional field. */
export type InputOf<F extends Fields> = {readonly [K in RequiredKeys<F>]: SentIn<F[K]>} & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: SentIn<F[K]> | null;
};

/** The fields of an object in a response. */
export type OutputOf<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Field<unknown, boolean, infer Out> ? Out : never;
};

function builder<In, Out = In>(kind: FieldKind, extra: Partial<Field> = {}) {
  return <const T extends FieldTraits = {}>(description: string, traits?: T): Typed<In, T, Out> =>
    ({...extra, ...traits, description, kind, required: traits?.required ?? false}) as unknown as Typed<In, T, Out>;
}

interface ListTraits extends FieldTraits {
  readonly choices?: readonly string[];
  readonly events?: readonly string[];
}

type Listed<T extends ListTraits> = T extends {readonly choices: readonly (infer C extends string)[]}
  ? C
  : T extends {readonly events: readonly (infer E extends string)[]}
    ? E
    : string;

const builders = {
  /** An amount in integer centavos, without bounds. */
  centavos: builder<number>('centavos'),
  /** An amount that the service can collect: 2000 to 5999999999 centavos. */
  collectable: builder<number>('centavos', {min: MINIMUM_CENTAVOS, max: MAXIMUM_CENTAVOS}),
  integer: builder<number>('integer'),
  /** Unix seconds. The service returns 0 or null for an unset time. */
  timestamp: builder<number>('timestamp', {min: 0, max: LATEST_TIME}),
  text: builder<string>('text'),
  email: builder<string>('email'),
  url: builder<string>('url'),
  boolean: builder<boolean>('boolean'),
  /** A secret: unchanged in `--json`, masked in tables. */
  secret: builder<string>('secret'),
  metadata: builder<Readonly<Record<string, string>>>('metadata'),
  /** Always PHP, the only currency, so no command asks for a currency. */
  currency: builder<'PHP', Open<'PHP'>>('currency', {choices: ['PHP']}),
  /** A related object: the service returns an id, a partial object, a whole object or null. */
  related: builder<unknown>('related'),
  id: <const P extends string, const T extends FieldTraits = {}>(prefix: P, description: string, traits?: T) =>
    builder<Id<P>>('id', {prefix})(description, traits),
  choice: <const C extends readonly string[], const T extends FieldTraits = {}>(
    choices: C,
    description: string,
    traits?: T,
  ) => builder<C[number], Open<C[number]>>('choice', {choices})(description, traits),
  /** A list of texts, choices or event types. */
  list: <const T extends ListTraits = {}>(description: string, traits?: T) =>
    builder<readonly Listed<T>[], readonly Open<Listed<T>>[]>('list')(description, traits),
  numbers: <const N extends readonly number[], const T extends FieldTraits = {}>(
    choices: N,
    description: string,
    traits?: T,
  ) => builder<readonly N[number][]>('list', {choices: choices.map(String), areNumbers: true})(description, traits),
  hash: <const F extends Fields, const T extends FieldTraits = {}>(fields: F, description: string, traits?: T) =>
    builder<InputOf<F>>('hash', {fields})(description, traits),
  /** A list of hashes, such as the line items of a checkout session. */
  items: <const F extends Fields, const T extends FieldTraits = {}>(fields: F, description: string, traits?: T) =>
    builder<readonly InputOf<F>[]>('items', {fields})(description, traits),
  resource: <const N extends string>(name: N) => builder<N>('text')(`Always ${name}.`),
};

/** Builders of fields, as zod's `z`: each takes a description and traits. */
export const field = {
  ...builders,
  /** The parameters of every list (specification, "Pagination rules"). @param prefix of the ids used as cursors */
  pageParams: <const P extends string>(prefix: P) => ({
    limit: builders.integer('Maximum number to return, per page.', {min: 1, max: MAXIMUM_PAGE}),
    before: builders.id(prefix, 'Show the page before this id.'),
    after: builders.id(prefix, 'Show the page after this id.'),
  }),
  common: <const P extends string, const N extends string>(prefix: P, name: N) => ({
    id: builders.id(prefix, `Unique id. Starts with ${prefix}.`),
    resource: builders.resource(name),
    livemode: builders.boolean('True in live mode, false in test mode.'),
    created_at: builders.timestamp('When it was created.'),
    updated_at: builders.timestamp('When it was last changed.'),
  }),
};

/** Methods of billing statements (specification). */
export const STATEMENT_METHODS = ['card', 'gcash', 'maya', 'billease', 'qrph'] as const;
/** Methods of payment intents and checkout sessions. */
export const PAYMENT_METHODS = [...STATEMENT_METHODS, 'bdo_installment'] as const;
export const INSTALLMENT_TYPES = ['regular', 'zero', 'regular_holiday', 'zero_holiday'] as const;
/** Months. */
export const PAYMENT_TERMS = [3, 6, 9, 12, 18, 24, 36] as const;
