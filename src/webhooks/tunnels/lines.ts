// The output of a program as lines: of bounded length, without escape sequences.

import type {Readable} from 'node:stream';
import {stripVTControlCharacters} from 'node:util';

/** Characters of a line that are looked at; what follows in the same line is dropped. */
const LONGEST_LINE = 8192;

/** Calls back with each line that has ended, and with what is left when the stream ends. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let held = '';
  const emit = (): void => {
    const line = stripVTControlCharacters(held)
      .replace(/\p{Cc}/gu, ' ')
      .trim();
    held = '';
    if (line !== '') onLine(line);
  };
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    const parts = chunk.split(/[\r\n]/);
    for (const [index, part] of parts.entries()) {
      if (index > 0) emit();
      held += part.slice(0, LONGEST_LINE - held.length);
    }
  });
  stream.on('end', emit);
  // A pipe that breaks ends with its program, which is what is reported.
  stream.on('error', () => {});
}
