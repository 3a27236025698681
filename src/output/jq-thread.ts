// The thread that runs jq, so that an endless program can be stopped.

import {parentPort} from 'node:worker_threads';
import {raw} from 'jq-wasm';

export interface JqRequest {
  readonly program: string;
  /** A JSON document; if empty, jq only parses the program. */
  readonly input: string;
  readonly compact: boolean;
}

/** Undefined if jq ran out of memory or stack. */
export type JqAnswer = {readonly stdout: string; readonly stderr: string; readonly exitCode: number} | undefined;

parentPort?.on('message', ({program, input, compact}: JqRequest) => {
  // A program may begin with a hyphen.
  const answer = raw(input, program, [...(compact ? ['-c'] : []), '--']).catch((error: unknown) => {
    if (error instanceof Error && /^(?:Range|Runtime)Error$/.test(error.name)) return undefined;
    throw error;
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  void answer.then((printed) => parentPort?.postMessage(printed));
});
