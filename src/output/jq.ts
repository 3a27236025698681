// Runs a --jq program with jq, in a thread that a signal or --timeout ends.

import {once} from 'node:events';
import {MAX_TIMER_DELAY, withDeadline} from '../common/deadlines.js';
import {CentavoError, type ErrorDetails, usageError} from '../common/errors.js';
import {isJsonObject} from '../common/json.js';
import {oneLineText, escapeControlsInJson, toJson} from './format.js';
import type {OutputStreams} from './streams.js';
import type {JqAnswer, JqRequest} from './jq-thread.js';

/** Accepts one call at a time. */
export interface Jq {
  /** Parses a program. @throws CentavoError kind `usage` if it is invalid, `interrupted` or `timed_out` */
  read(program: string): Promise<JqProgram>;
}

export interface JqProgram {
  /** @param input a JSON document @throws CentavoError kind `interrupted` or `timed_out` */
  run(input: string, compact: boolean): Promise<JqAnswer>;
}

export interface JqOptions {
  readonly signal: AbortSignal;
  readonly timeout?: number;
}

/** Without these definitions, jq-wasm would invent an environment for the program. */
const WITHOUT_ENVIRONMENT = '{} as $ENV | def env: $ENV; ';

export async function startJq({signal, timeout}: JqOptions): Promise<Jq> {
  const {Worker} = await import('node:worker_threads');
  const thread = new Worker(new URL('./jq-thread.js', import.meta.url), {
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  thread.unref();
  const limit = timeout === undefined ? MAX_TIMER_DELAY : timeout * 1000;

  const send = async (request: JqRequest): Promise<JqAnswer> => {
    // Without this reference, the process could end before the answer.
    thread.ref();
    try {
      const [answer] = await withDeadline(limit, signal, (ended): Promise<JqAnswer[]> => {
        const answered = once(thread, 'message', {signal: ended});
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage(request);
        return answered;
      });
      // Out of memory: the thread is unusable, and would keep the process running.
      if (answer === undefined) await thread.terminate();
      return answer;
    } catch (error) {
      await thread.terminate();
      if (signal.aborted) throw new CentavoError('interrupted', 'the --jq program was interrupted.');
      if (!(error instanceof Error && error.name === 'AbortError')) throw error;
      throw new CentavoError('timed_out', `the --jq program did not end within ${timeout} s.`, {code: 'jq_timed_out'});
    } finally {
      thread.unref();
    }
  };

  return {
    read: async (program) => {
      // Without a document, jq only parses the program.
      const answer = await send({program, input: '', compact: true});
      // The user typed the program, so the error may quote it.
      if (answer?.exitCode !== 0)
        throw jqError('is not valid', {why: answer && compileFault(answer.stderr), applied: 'no'});
      return {run: (input, compact) => send({program: WITHOUT_ENVIRONMENT + program, input, compact})};
    },
  };
}

const jqError = (problem: string, details: ErrorDetails): CentavoError =>
  usageError('invalid_jq', `the --jq program ${problem}.`, {
    hint: "For example: --jq '.data[].id'",
    applied: undefined,
    ...details,
  });

/** Returns jq's first error with its position, without the source lines. */
function compileFault(stderr: string): string {
  const [fault] = stderr.split('\n');
  return fault!.replace(/^jq: error: /, '').replace(/ at <top-level>(?=, line)|:$/g, '');
}

/** Resolves with the outputs of a program, one or more lines each; strings without quotes. */
export async function runJq(program: JqProgram, document: unknown, jsonl: boolean, io: OutputStreams): Promise<string> {
  // As `gh --jq` does: one line per output in a pipe, indented at a terminal.
  const answer = await program.run(toJson(document ?? null), jsonl || !io.stdoutIsTerminal);
  if (answer === undefined)
    throw jqError('needs too much memory', {
      code: 'jq_out_of_memory',
      hint: 'Print the response with -o jsonl, and run jq on each line.',
    });
  const {stdout, stderr, exitCode} = answer;
  const lines = stdout === '' ? [] : stdout.split('\n');
  if (exitCode !== 0) {
    const isList = isJsonObject(document) && Array.isArray(document.data);
    const hint = `For example: --jq '${isList ? '.data[]' : Array.isArray(document) ? '.[]' : ''}.id'`;
    throw jqError('failed on this response', {why: runFault(stderr, lines, io), hint});
  }
  // The output of jq's `debug` and `stderr`.
  if (stderr !== '') for (const line of stderr.split('\n')) io.note(line);
  return lines.map((line) => `${shownOutput(line, io)}\n`).join('');
}

/** Returns a JSON string without its quotes, and other JSON with control characters escaped. */
function shownOutput(line: string, io: OutputStreams): string {
  if (!line.startsWith('"')) return escapeControlsInJson(line);
  const text = JSON.parse(line) as string;
  return io.stdoutIsTerminal ? text.split('\n').map(oneLineText).join('\n') : text;
}

/** Maximum characters of a jq error, which may quote the whole response. */
const MAX_FAULT = 300;

/** Returns jq's message. Omitted with --reveal: it may quote part of a secret, which redaction cannot find. */
function runFault(stderr: string, lines: readonly string[], io: OutputStreams): string {
  const [, message = stderr] = /(?:^|\n)jq: error \(at [^)\n]*\)(?: \(not a string\))?: (.*)$/s.exec(stderr) ?? [];
  // Cut between words, so that no secret is cut.
  const short = message.length > MAX_FAULT ? `${message.slice(0, MAX_FAULT).replace(/[^\s",:]*$/, '')}…` : message;
  const why = io.settings.reveal || message === '' ? 'It found an unexpected value.' : `jq says: ${short}`;
  return lines.length === 0 ? why : `${why.replace(/[^.!?…]$/, '$&.')} Its earlier output is not printed.`;
}
