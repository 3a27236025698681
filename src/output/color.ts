// Decides whether a stream shows colour.

export interface ColorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
}

/** `FORCE_COLOR`, `NO_COLOR` and `TERM` decide; otherwise only a terminal shows colour. */
export function wantsColor({env, isTerminal}: ColorOptions): boolean {
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  if (env.NO_COLOR || env.TERM === 'dumb') return false;
  return isTerminal;
}
