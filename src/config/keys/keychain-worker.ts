// The thread that speaks to the keychain. Whatever is called here may block it for good.

import {parentPort, workerData} from 'node:worker_threads';
import type {AsyncEntry} from '@napi-rs/keyring';
import {OTHER_VALUE, type KeychainAnswer, type KeychainRequest} from './keychain-protocol.js';

const SERVICE = 'centavo';

/** A person was asked and said no, or nobody answers: to try again would be to ask again. */
const FINAL = /lock|prompt|dismiss|interaction|passphrase|cancel|denied|reply/i;

type Open = (name: string) => AsyncEntry;

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  let asked = false;
  let keyring: typeof import('@napi-rs/keyring');
  try {
    keyring = await import('@napi-rs/keyring');
  } catch (error) {
    return failed('load', error, true);
  }
  try {
    const open: Open = (name) => {
      // Left to choose, it would fall back to the kernel's own store, which forgets everything at the next start.
      const entry = new keyring.AsyncEntry(SERVICE, name, {linux: {store: 'secret-service'}});
      asked = true;
      return entry;
    };
    return await perform(open, request);
  } catch (error) {
    // What was asked of it without a reply may still be done.
    return failed('use', error, !asked || !/reply/i.test(String(error)));
  }
}

async function perform(open: Open, {operation, name, secret}: KeychainRequest): Promise<KeychainAnswer> {
  if (operation === 'probe') return probe(open, name, secret!);
  const entry = open(name);
  if (operation === 'read') return {outcome: 'done', secret: await entry.getPassword()};
  if (operation === 'write') return replace(entry, secret!);
  await entry.deletePassword();
  return {outcome: 'done'};
}

/**
 * Every trial has the same name, so that the next one takes away what one that was killed has left.
 * Where two meet there, whichever is disturbed, in words of the keychain's own, tries again under a name of its own.
 */
async function probe(open: Open, name: string, secret: string): Promise<KeychainAnswer> {
  const shared = await tryOut(open(name), secret);
  if (shared.outcome === 'done' || FINAL.test(shared.message)) return shared;
  return tryOut(open(`${name}-${secret}`), secret);
}

async function tryOut(entry: AsyncEntry, secret: string): Promise<KeychainAnswer> {
  try {
    const kept = await replace(entry, secret);
    if (kept.outcome === 'done') await entry.deletePassword();
    return kept;
  } catch (error) {
    return failed('use', error, true);
  }
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
