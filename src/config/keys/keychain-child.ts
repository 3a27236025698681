// A process of its own that asks the keychain once, and ends. Any call of the native package may block it for good.

import {readSync, writeSync} from 'node:fs';
import {Worker} from 'node:worker_threads';
import type {Entry} from '@napi-rs/keyring';

/** What it is asked: one line of JSON on stdin, which stays open for as long as somebody waits for the answer. */
export interface KeychainRequest {
  readonly operation: 'probe' | 'read' | 'remove' | 'write';
  readonly name: string;
  /** What to write. A probe writes it, too, and removes it again. */
  readonly secret?: string;
}

/** What it answers: one line of JSON on stdout. */
export type KeychainAnswer =
  | {readonly outcome: 'done'; readonly secret?: string | null}
  | {
      readonly outcome: 'failed';
      /** `load`: the native package cannot be loaded. `use`: the keychain refused. `compare`: it gave back something else. */
      readonly stage: 'compare' | 'load' | 'use';
      readonly message: string;
      /** Whether everything is as it was before. */
      readonly intact: boolean;
    };

const SERVICE = 'centavo';

/** A person was asked and said no, or nobody answers: to try again would be to ask again. */
const FINAL = /lock|prompt|dismiss|interaction|passphrase|cancel|denied|reply/i;

/** Ends the process when its input ends: nobody waits for an answer any more. While a native call blocks this thread, only another one can. */
const WATCH = `try { require('node:fs').readSync(0, Buffer.alloc(1)); } catch {} process.kill(process.pid, 'SIGKILL');`;

type Open = (name: string) => Entry;

async function answer(request: KeychainRequest): Promise<KeychainAnswer> {
  let keyring: typeof import('@napi-rs/keyring');
  try {
    keyring = await import('@napi-rs/keyring');
  } catch (error) {
    return failed('load', error, true);
  }
  let asked = false;
  try {
    return perform((name) => {
      // Left to choose, it would fall back to the kernel's own store, which forgets everything at the next start.
      const entry = new keyring.Entry(SERVICE, name, {linux: {store: 'secret-service'}});
      asked = true;
      return entry;
    }, request);
  } catch (error) {
    // What was asked of it without a reply may still be done.
    return failed('use', error, !asked || !/reply/i.test(String(error)));
  }
}

function perform(open: Open, {operation, name, secret}: KeychainRequest): KeychainAnswer {
  if (operation === 'probe') return probe(open, name, secret!);
  const entry = open(name);
  if (operation === 'read') return {outcome: 'done', secret: entry.getPassword()};
  if (operation === 'write') return replace(entry, secret!);
  entry.deletePassword();
  return {outcome: 'done'};
}

/**
 * Every trial has the same name, so that the next one takes away what one that was killed has left.
 * Where two meet there, the one that is disturbed tries again under a name of its own.
 */
function probe(open: Open, name: string, secret: string): KeychainAnswer {
  const shared = tryOut(open(name), secret);
  if (shared.outcome === 'done' || FINAL.test(shared.message)) return shared;
  return tryOut(open(`${name}-${secret}`), secret);
}

function tryOut(entry: Entry, secret: string): KeychainAnswer {
  try {
    const kept = replace(entry, secret);
    if (kept.outcome === 'done') entry.deletePassword();
    return kept;
  } catch (error) {
    return failed('use', error, true);
  }
}

/** Writes, reads back and compares. What was there before is not put back: another process may have written meanwhile. */
function replace(entry: Entry, secret: string): KeychainAnswer {
  const before = entry.getPassword();
  const isIntact = (): boolean => {
    try {
      return entry.getPassword() === before;
    } catch {
      return false;
    }
  };
  try {
    entry.setPassword(secret);
    if (entry.getPassword() === secret) return {outcome: 'done'};
  } catch (error) {
    return failed('use', error, isIntact());
  }
  return failed('compare', 'another value came back', isIntact());
}

const failed = (stage: 'compare' | 'load' | 'use', error: unknown, intact: boolean): KeychainAnswer => ({
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

/** The first line on stdin; empty when the input ends before. */
function readLine(): string {
  const piece = Buffer.alloc(65_536);
  const pieces: Buffer[] = [];
  for (;;) {
    const count = readSync(0, piece);
    pieces.push(Buffer.from(piece.subarray(0, count)));
    if (count === 0) return '';
    if (piece[count - 1] === 0x0a) return Buffer.concat(pieces).toString('utf8');
  }
}

try {
  const line = readLine();
  if (line !== '') {
    new Worker(WATCH, {eval: true}).unref();
    writeSync(1, `${JSON.stringify(await answer(JSON.parse(line) as KeychainRequest))}\n`);
  }
} finally {
  // A normal exit would wait for the other thread, which waits for the input.
  process.kill(process.pid, 'SIGKILL');
}
