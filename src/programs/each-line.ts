// The output of a program, line by line.

import type {Readable} from 'node:stream';

/** Characters of a line that are kept: what a program writes without ever ending its line must not pile up here. */
const LONGEST_LINE = 8192;

/** Calls back with each line that has ended, and with what is left when the stream ends. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (chunk: string) => {
    // A carriage return that comes last may be half of a line's end.
    const lines = (rest + chunk).split(/\r?\n|\r(?=[^\n])/).map((line) => line.slice(0, LONGEST_LINE));
    rest = lines.pop()!;
    lines.forEach(onLine);
  });
  stream.once('close', () => {
    if (rest !== '') onLine(rest);
  });
  // A pipe that breaks ends with its program, which is what is reported.
  stream.on('error', () => {});
}
