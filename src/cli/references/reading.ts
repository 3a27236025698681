// Reads of an account that may take long: they end with the command, and a terminal shows how far they are. What does not
// change is remembered.

import type {ReadOptions} from '../../billing/account.js';
import type {MoneyInOptions} from '../../billing/books/money-in.js';
import type {KnownOptions} from '../../billing/known.js';
import type {Context} from '../../context.js';
import {count, counted} from '../../ground/counts.js';
import {isSet} from '../../ground/environment.js';

/** @param doing `Reading billing statements` */
export async function reading<T>(
  {io, signal}: Context,
  doing: string,
  read: (options: Required<ReadOptions>) => Promise<T>,
): Promise<T> {
  try {
    return await read({signal, onPage: (looked) => io.progress(`${doing}: ${count(looked)}`)});
  } finally {
    io.progress(undefined);
  }
}

/** Where it is kept what is known of the account; nowhere with CENTAVO_NO_CACHE. */
export async function knownOptions(
  context: Context,
  account: Context['account'] = context.connection,
): Promise<KnownOptions | undefined> {
  if (isSet(context.env.CENTAVO_NO_CACHE)) return undefined;
  const {profile, mode, baseUrl} = await account();
  return {
    directory: context.dataDirectory(),
    profile: profile.value,
    mode,
    baseUrl: baseUrl?.value,
    user: context.host.user,
    token: () => context.token(16),
  };
}

type ReadReceipts = Required<ReadOptions & Pick<MoneyInOptions, 'onReceipt' | 'receipts'>>;

/** Reads statements, and when and how they were paid, remembers that, and says how many requests it took. */
export async function readingReceipts<T>(context: Context, read: (options: ReadReceipts) => Promise<T>): Promise<T> {
  const {io, signal} = context;
  const {knownOfStatements, Receipts} = await context.billing();
  const options = await knownOptions(context);
  const receipts = new Receipts(await context.client(), {signal, known: options && knownOfStatements(options)});
  try {
    return await reading(context, 'Reading billing statements', (walk) =>
      read({
        ...walk,
        receipts,
        onReceipt: (looked, of) => io.progress(`Reading payments: ${count(looked)} of ${count(of)}`),
      }),
    );
  } finally {
    receipts.keep();
    if (receipts.requests > 0)
      io.note(`${counted(receipts.requests, 'request')} for what lists leave out, such as payments.`, {style: 'dim'});
  }
}

/** @param names of paid statements */
export const notNamed = (names: readonly string[]): string =>
  `The API names no payment of ${names.join(', ')}: the date is that of the last change.`;
