// A terminal or pipe that tests can read and check for harmless output.

import stringWidth from 'string-width';
import {createStreams} from '../../../src/output/streams.js';
import {render} from '../../../src/output/render.js';
import type {ResultColumn, Rendering, CommandResult} from '../../../src/output/result.js';

export type Terminal = ReturnType<typeof terminal>;

export interface TerminalOptions {
  readonly tty?: boolean;
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export function terminal({tty = true, columns = 80, env = {}}: TerminalOptions = {}) {
  const written = {out: '', err: ''};
  const stream = (name: 'err' | 'out') => ({
    isTTY: tty,
    columns,
    on: () => undefined,
    write(text: string, done?: () => void) {
      written[name] += text;
      done?.();
      return true;
    },
  });
  const io = createStreams({stdout: stream('out'), stderr: stream('err'), stdin: {isTTY: tty}, env});
  return {io, out: () => written.out, err: () => written.err};
}

export const PLAIN = {NO_COLOR: '1'};

export const COLUMNS: readonly ResultColumn[] = [
  {path: 'id', header: 'id', kind: 'text'},
  {path: 'customer', header: 'customer', kind: 'object'},
  {path: 'status', header: 'status', kind: 'status'},
  {path: 'amount', header: 'amount', kind: 'centavos'},
  {path: 'due_at', header: 'due', kind: 'timestamp'},
];

export type Row = Record<string, unknown>;

export const many = (rows: readonly Row[], columns = COLUMNS): CommandResult => ({
  rows,
  document: {resource: 'list', has_more: false, data: rows},
  columns,
  all: [...columns, {path: 'metadata', header: 'metadata', kind: 'object'}],
  shape: 'many',
  empty: 'No statements found.',
});

export const one = (row: Row, columns = COLUMNS): CommandResult => ({
  ...many([row], columns),
  document: row,
  shape: 'one',
});

export async function shown(
  result: CommandResult,
  rendering: Rendering = {},
  options: TerminalOptions = {},
): Promise<string> {
  const {io, out} = terminal(options);
  await render(result, rendering, io);
  return out();
}

// oxlint-disable-next-line no-control-regex
const STYLES = /\u001B\[\d+m/g;

export const unpainted = (text: string): string => text.replace(STYLES, '');

/** Characters that could move, recolour, reorder or hide what a terminal shows; our own line breaks and styles, and what makes pictures, aside. */
export const dangers = (text: string): string[] =>
  unpainted(text)
    .replace(/(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})/gu, '')
    .replace(/(?<=[\p{Emoji}\p{Script=Han}\p{Script=Mongolian}])\p{Variation_Selector}/gu, '')
    .match(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu) ?? [];

export const widthOf = (line: string): number => stringWidth(unpainted(line));

export const linesOf = (text: string): string[] => text.split('\n').slice(0, -1);
