// Runs long reads of an account, with progress at a terminal and cached receipts. The command's signal stops a read.

import type {AccountReadOptions} from '../billing/account/account-reader.js';
import type {BookOptions} from '../billing/reports/standings.js';
import type {LookupCacheOptions} from '../billing/account/lookup-cache.js';
import type {Context} from '../context/context.js';
import {localName} from '../config/resolve.js';
import {formatInteger, formatCount} from '../common/counts.js';
import {isSet} from '../common/environment.js';

/** @param doing text of the progress line: `Reading billing statements` */
export async function withReadingProgress<T>(
  {io, signal}: Context,
  doing: string,
  read: (options: Required<AccountReadOptions>) => Promise<T>,
): Promise<T> {
  try {
    return await read({signal, onPage: (count) => io.progress(`${doing}: ${formatInteger(count)}`)});
  } finally {
    io.progress(undefined);
  }
}

/** Returns the folder and account of the cache; undefined if CENTAVO_NO_CACHE is set. */
export async function lookupCacheOptions(
  context: Context,
  account: Context['account'] = context.connection,
): Promise<LookupCacheOptions | undefined> {
  if (isSet(context.env.CENTAVO_NO_CACHE)) return undefined;
  const connection = await account();
  const {mode, baseUrl} = connection;
  return {
    directory: context.dataDirectory(),
    profile: localName(connection),
    mode,
    baseUrl: baseUrl?.value,
    user: context.host.user,
    token: () => context.token(16),
  };
}

type ReadReceipts = Required<AccountReadOptions & Pick<BookOptions, 'onReceipt' | 'receipts'>>;

/** Reads statements and their payments, caches the receipts, and prints the number of extra requests. */
export async function withReceipts<T>(context: Context, read: (options: ReadReceipts) => Promise<T>): Promise<T> {
  const {io, signal} = context;
  const {statementCache, ReceiptReader} = await context.billing();
  const options = await lookupCacheOptions(context);
  const receipts = new ReceiptReader(await context.client(), {
    signal,
    known: options && statementCache({...options, account: await context.accountId()}),
  });
  try {
    return await withReadingProgress(context, 'Reading billing statements', (options) =>
      read({
        ...options,
        receipts,
        onReceipt: (done, total) => io.progress(`Reading payments: ${formatInteger(done)} of ${formatInteger(total)}`),
      }),
    );
  } finally {
    receipts.save();
    if (receipts.requests > 0)
      io.note(`${formatCount(receipts.requests, 'request')} for details that lists omit, such as payments.`, {
        style: 'dim',
      });
  }
}
