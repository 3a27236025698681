// Runs as a separate process for one keychain call, because the native package may block forever.

import {readSync, writeSync} from 'node:fs';
import {Worker} from 'node:worker_threads';
import type {Entry} from '@napi-rs/keyring';

/** One line of JSON on stdin, which stays open while the parent waits for the answer. */
export interface KeychainRequest {
  readonly operation: 'probe' | 'read' | 'remove' | 'write';
  readonly name: string;
  /** The value to write. A probe writes and then removes it. */
  readonly secret?: string;
}

export type KeychainAnswer =
  | {readonly outcome: 'done'; readonly secret?: string | null}
  | {
      readonly outcome: 'failed';
      /** `load`: no native package. `use`: the keychain failed. `compare`: a different value was read back. */
      readonly stage: 'compare' | 'load' | 'use';
      readonly message: string;
      readonly intact: boolean;
    };

const SERVICE = 'centavo';

/** Messages after the user declined or did not answer. A second trial would ask the user again. */
const DECLINED = /lock|prompt|dismiss|interaction|passphrase|cancel|denied|reply/i;

/** Code of a thread that kills the process when the parent ends. A native call may block the main thread. */
const WATCH = `try { require('node:fs').readSync(0, Buffer.alloc(1)); } catch {} process.kill(process.pid, 'SIGKILL');`;

type Open = (name: string) => Entry;

async function writeAnswer(request: KeychainRequest): Promise<KeychainAnswer> {
  let keyring: typeof import('@napi-rs/keyring');
  try {
    keyring = await import('@napi-rs/keyring');
  } catch (error) {
    return failedAt('load', error, true);
  }
  let asked = false;
  try {
    return carryOut((name) => {
      // The default would fall back to the kernel's keyring, which is empty after a restart.
      const entry = new keyring.Entry(SERVICE, name, {linux: {store: 'secret-service'}});
      asked = true;
      return entry;
    }, request);
  } catch (error) {
    // The keychain may still carry out a request without a reply.
    return failedAt('use', error, !asked || !/reply/i.test(String(error)));
  }
}

function carryOut(open: Open, {operation, name, secret}: KeychainRequest): KeychainAnswer {
  if (operation === 'probe') return probe(open, name, secret!);
  const entry = open(name);
  if (operation === 'read') return {outcome: 'done', secret: entry.getPassword()};
  if (operation === 'write') return replace(entry, secret!);
  entry.deletePassword();
  return {outcome: 'done'};
}

/** Trials share a name, so that each trial removes what a killed trial left. If that fails, tries a unique name. */
function probe(open: Open, name: string, secret: string): KeychainAnswer {
  const shared = tryOut(open(name), secret);
  if (shared.outcome === 'done' || DECLINED.test(shared.message)) return shared;
  return tryOut(open(`${name}-${secret}`), secret);
}

function tryOut(entry: Entry, secret: string): KeychainAnswer {
  try {
    const kept = replace(entry, secret);
    if (kept.outcome === 'done') entry.deletePassword();
    return kept;
  } catch (error) {
    return failedAt('use', error, true);
  }
}

/** Does not restore the old value on failure, because another process may have written in between. */
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
    return failedAt('use', error, isIntact());
  }
  return failedAt('compare', 'another value came back', isIntact());
}

const failedAt = (stage: 'compare' | 'load' | 'use', error: unknown, intact: boolean): KeychainAnswer => ({
  outcome: 'failed',
  stage,
  message: rootCause(error),
  intact,
});

/** Returns the innermost message: the package's loader wraps the system's error in advice about npm. */
function rootCause(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? rootCause(error.cause) : error.message;
}

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

async function answerOne(): Promise<void> {
  try {
    const line = readLine();
    if (line === '') return;
    new Worker(WATCH, {eval: true}).unref();
    writeSync(1, `${JSON.stringify(await writeAnswer(JSON.parse(line) as KeychainRequest))}\n`);
  } finally {
    // A normal exit would wait for the other thread, which waits for stdin.
    process.kill(process.pid, 'SIGKILL');
  }
}

void answerOne();
