// The thread that speaks to the keychain. Whatever is called here may block it for good.

import {parentPort, workerData} from 'node:worker_threads';
import type {AsyncEntry} from '@napi-rs/keyring';
import {OTHER_VALUE, type KeychainAnswer, type KeychainRequest} from './keychain-protocol.js';

const SERVICE = 'centavo';

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  let entry: AsyncEntry | undefined;
  let keyring: typeof import('@napi-rs/keyring');
  try {
    keyring = await import('@napi-rs/keyring');
  } catch (error) {
    return failed('load', error, true);
  }
  try {
    // Left to choose, it would fall back to the kernel's own store, which forgets everything at the next start.
    entry = new keyring.AsyncEntry(SERVICE, request.name, {linux: {store: 'secret-service'}});
    return await perform(entry, request);
  } catch (error) {
    // What was asked of it without a reply may still be done.
    return failed('use', error, entry === undefined || !/reply/i.test(String(error)));
  }
}

async function perform(entry: AsyncEntry, {operation, secret}: KeychainRequest): Promise<KeychainAnswer> {
  if (operation === 'read') return {outcome: 'done', secret: await entry.getPassword()};
  if (operation === 'write') return replace(entry, secret!);
  const kept: KeychainAnswer = operation === 'probe' ? await replace(entry, secret!) : {outcome: 'done'};
  if (kept.outcome === 'done') await entry.deletePassword();
  return kept;
}

/** Writes, reads back and compares. What was there before is not put back: another process may have written meanwhile. */
async function replace(entry: AsyncEntry, secret: string): Promise<KeychainAnswer> {
  const before = await entry.getPassword();
  let error: unknown;
  try {
    await entry.setPassword(secret);
    if ((await entry.getPassword()) === secret) return {outcome: 'done'};
    error = OTHER_VALUE;
  } catch (thrown) {
    error = thrown;
  }
  const intact = await entry.getPassword().then(
    (now) => now === before,
    () => false,
  );
  return failed('use', error, intact);
}

const failed = (stage: 'load' | 'use', error: unknown, intact: boolean): KeychainAnswer => ({
  outcome: 'failed',
  stage,
  message: rootCause(error),
  intact,
});

/** The loader wraps what the system said into advice about npm. */
function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootCause(error.cause) : error.message;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
parentPort!.postMessage(await answer(workerData as KeychainRequest));
