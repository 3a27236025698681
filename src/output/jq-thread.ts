// The thread that jq runs in, so that a program without end can be ended. It answers each request with what jq printed.

import {parentPort} from 'node:worker_threads';
import {raw} from 'jq-wasm';

export interface JqRequest {
  readonly program: string;
  /** One JSON document, or nothing: then jq reads the program and does not run it. */
  readonly input: string;
  /** Each output on one line. */
  readonly compact: boolean;
}

/** What jq printed, and its exit status; undefined when it used up its memory or its stack. */
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
