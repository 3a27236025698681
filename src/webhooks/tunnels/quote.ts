// Words of another program, made fit to be shown: short, and with nothing that may be a secret left whole.

const LONGEST_QUOTE = 200;
/** Characters; much more than is shown, since what is taken out makes room. */
const LOOKED_AT = 1000;

/** Runs this long that hold both letters and digits are keys, tokens or digests, not words. */
const OPAQUE = /[A-Za-z0-9_+=-]{20,}/g;

/** A line as it may stand in a message. */
export function quoteLine(line: string): string {
  const safe = line
    .slice(0, LOOKED_AT)
    .replace(/\/\/[^/\s@]+@/g, '//…@')
    .replace(/\b(bearer|basic)\s+\S+/gi, '$1 …')
    .replace(
      /([\w-]*(?:token|secret|passw(?:or)?d|authorization|credentials?|key)["']?\s*[=:]\s*["']?)[^\s"',]+/gi,
      '$1…',
    )
    .replace(OPAQUE, (run) => (/\d/.test(run) && /[A-Za-z]/.test(run) ? `${run.slice(0, 4)}…` : run))
    .trim();
  return safe.length > LONGEST_QUOTE ? `${safe.slice(0, LONGEST_QUOTE)}…` : safe;
}

/** The line that says most about a failure: the last that names one, else the last. */
export function tellingLine(lines: readonly string[]): string | undefined {
  const line =
    lines.findLast((line) => /\b(err|eror|error|fatal|failed|denied|refused|invalid)\b/i.test(line)) ?? lines.at(-1);
  return line === undefined ? undefined : quoteLine(line);
}
