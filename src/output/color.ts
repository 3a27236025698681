// Whether a stream shows colour.

export interface ColorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** By the variables that everybody uses (`FORCE_COLOR`, `NO_COLOR`, `TERM`), else on a terminal only. */
export function wantsColor({env, isTerminal}: ColorOptions): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return isTerminal;
}
