// Runs a --jq program over a document: jq itself, in a thread that a signal and --timeout can end.

import {once} from 'node:events';
import {LONGEST_TIMER, withDeadline} from '../deadlines.js';
import {CentavoError, type ErrorDetails, usageError} from '../errors.js';
import {clean, escapeControlsInJson, toJson} from './format.js';
import type {Io} from './io.js';
import type {JqAnswer, JqRequest} from './jq-thread.js';

/** jq in a thread of its own. It does one thing at a time. */
export interface Jq {
  /**
   * Reads a program without running it.
   * @throws CentavoError kind `usage` when it is none, `interrupted` or `timed_out`
   */
  read(program: string): Promise<JqProgram>;
}

/** A program that jq has read and can run. */
export interface JqProgram {
  /**
   * @param input one JSON document
   * @param compact each output on one line
   * @throws CentavoError kind `interrupted` or `timed_out`
   */
  run(input: string, compact: boolean): Promise<JqAnswer>;
}

export interface JqOptions {
  /** Ends the thread. */
  readonly signal: AbortSignal;
  /** Seconds that a program may run. */
  readonly timeout?: number;
}

/** The program sees an empty environment. jq-wasm would give it one that is made up. */
const WITHOUT_ENVIRONMENT = '{} as $ENV | def env: $ENV; ';

export async function startJq({signal, timeout}: JqOptions): Promise<Jq> {
  const {Worker} = await import('node:worker_threads');
  const thread = new Worker(new URL('./jq-thread.js', import.meta.url), {
    // It gets nothing of this process, and what it writes to its streams is dropped.
    ...{env: {}, execArgv: [], stdout: true, stderr: true},
  });
  thread.unref();
  const limit = timeout === undefined ? LONGEST_TIMER : timeout * 1000;

  const ask = async (request: JqRequest): Promise<JqAnswer> => {
    // A thread without a reference does not keep the process running, not even while its answer is awaited.
    thread.ref();
    try {
      const [answer] = await withDeadline(limit, signal, (ended): Promise<JqAnswer[]> => {
        const answered = once(thread, 'message', {signal: ended});
        // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
        thread.postMessage(request);
        return answered;
      });
      // This jq is of no more use, and its thread would not let the process end.
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
      // jq runs a program once for each document, so without one it only reads it.
      const answer = await ask({program, input: '', compact: true});
      // The program was typed, so the error may quote it.
      if (answer?.exitCode !== 0) throw jqError('is none', {why: answer && compileFault(answer.stderr), applied: 'no'});
      return {run: (input, compact) => ask({program: WITHOUT_ENVIRONMENT + program, input, compact})};
    },
  };
}

const jqError = (what: string, details: ErrorDetails): CentavoError =>
  usageError(`the --jq program ${what}.`, {
    code: 'invalid_jq',
    hint: "For example: --jq '.data[].id'",
    applied: undefined,
    ...details,
  });

/** The first fault, with its place, without the lines that show it. */
function compileFault(stderr: string): string {
  const [fault] = stderr.split('\n');
  return fault!.replace(/^jq: error: /, '').replace(/ at <top-level>(?=, line)|:$/g, '');
}

/** The outputs of a program, a line or more each; texts stand without quotes. @throws CentavoError */
export async function runJq(program: JqProgram, document: unknown, jsonl: boolean, io: Io): Promise<string> {
  // As `gh --jq` does: a line each for the next program, indented for a person.
  const answer = await program.run(toJson(document ?? null), jsonl || !io.stdoutIsTerminal);
  if (answer === undefined)
    throw jqError('needs too much memory', {
      code: 'jq_out_of_memory',
      hint: 'Print the response with -o jsonl, and run jq on each line.',
    });
  const {stdout, stderr, exitCode} = answer;
  const lines = stdout === '' ? [] : stdout.split('\n');
  if (exitCode !== 0) throw jqError('failed on this response', {why: runFault(stderr, lines, io)});
  // What `debug` and `stderr` write.
  if (stderr !== '') for (const line of stderr.split('\n')) io.note(line);
  return lines.map((line) => `${shownOutput(line, io)}\n`).join('');
}

/** A line of JSON; one that begins with a quote is a text, which is printed without them. */
function shownOutput(line: string, io: Io): string {
  if (!line.startsWith('"')) return escapeControlsInJson(line);
  const text = JSON.parse(line) as string;
  return io.stdoutIsTerminal ? text.split('\n').map(clean).join('\n') : text;
}

/** Characters of what jq says: an error may quote the whole answer. */
const LONGEST_FAULT = 300;

/** What jq says, and that nothing is printed. With --reveal it may quote a part of a secret, which redaction cannot find. */
function runFault(stderr: string, lines: readonly string[], io: Io): string {
  const [, words = stderr] = /(?:^|\n)jq: error \(at [^)\n]*\)(?: \(not a string\))?: (.*)$/s.exec(stderr) ?? [];
  // Cut between words, so that no secret is cut.
  const short = words.length > LONGEST_FAULT ? `${words.slice(0, LONGEST_FAULT).replace(/[^\s",:]*$/, '')}…` : words;
  const why = io.settings.reveal || words === '' ? 'It found an unexpected value.' : `jq says: ${short}`;
  return lines.length === 0 ? why : `${why.replace(/[^.!?…]$/, '$&.')} Its earlier output is not printed.`;
}
