// Runs a --jq program over a document. The interpreter is loaded on demand.

import {usageError} from '../errors.js';
import {reasonOf} from '../system-errors.js';
import {clean, toJson} from './format.js';
import type {Io} from './io.js';

type JqProgram = (input: unknown) => Iterable<unknown>;

/** Compiles a jq program. @throws CentavoError kind `usage` when it is none */
export async function compileJq(program: string): Promise<JqProgram> {
  const {compile} = await import('@michaelhomer/jqjs');
  try {
    return compile(program);
  } catch (error) {
    // The program was typed, so the error may quote it.
    throw jqError('is none', typeof error === 'string' ? `${error}.` : reasonOf(error), 'no');
  }
}

const jqError = (what: string, why: string, applied?: 'no'): Error =>
  usageError(`the --jq program ${what}.`, {
    code: 'invalid_jq',
    why,
    hint: "Write it like this: --jq '.data[].id'",
    applied,
  });

/** The outputs of a program, a line or more each; texts stand without quotes. @throws CentavoError kind `usage` */
export async function runJq(program: string, document: unknown, compact: boolean, io: Io): Promise<string> {
  const run = await compileJq(program);
  try {
    // Through text, so that the program sees plain JSON whatever the objects are made of.
    return [...run(JSON.parse(JSON.stringify(document ?? null)))]
      .map((output) => {
        if (typeof output !== 'string') return `${toJson(output ?? null, compact ? undefined : 2)}\n`;
        return `${io.stdoutIsTerminal ? output.split('\n').map(clean).join('\n') : output}\n`;
      })
      .join('');
  } catch {
    // The interpreter's own words quote the answer.
    throw jqError('did not work on this answer', 'It met a value of another kind than it expects.');
  }
}
