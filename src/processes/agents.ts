// Finds out whether an agent program runs this command, from variables that such programs set for the commands they start.

import {readFileSync} from 'node:fs';

/** An agent program, as it shows. */
export interface Agent {
  /** The variable that it set: `CLAUDECODE`. */
  readonly variable: string;
  /** The process whose environment has it: this one, or an ancestor, which may have left it out of this one's. */
  readonly pid: number;
  /** True for `centavo mcp`: a person approves its live changes, even with the setting agents=allow. */
  readonly isAlwaysAsked?: boolean;
}

/**
 * Variables that agent programs set, each with the source of the fact. The table can never be complete. Variables that an
 * editor also sets for people, such as TERM_PROGRAM and CURSOR_TRACE_ID, are left out.
 */
const MARKERS = [
  // stripe-cli, pkg/useragent/useragent.go, November 2026:
  ...['AI_AGENT', 'ANTIGRAVITY_CLI_ALIAS', 'CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT', 'CLINE_ACTIVE', 'CODEX_CI'],
  ...['CODEX_INTERNAL_ORIGINATOR_OVERRIDE', 'CODEX_SANDBOX', 'CODEX_SANDBOX_NETWORK_DISABLED', 'CODEX_THREAD_ID'],
  ...['CURSOR_AGENT', 'GEMINI_CLI', 'HERMES_AGENT', 'OPENCODE', 'OPENCLAW_SHELL'],
  // centavo: `centavo mcp` and agents that this table does not know.
  'CENTAVO_AGENT',
] as const;

const UNSET = ['', '0', 'false'];
/** Most environments have no marker, and are read once for each ancestor. */
const ANY_MARKER = new RegExp(`(?:^|\0)(?:${MARKERS.join('|')})=`);

/** A limit that no shell reaches; each costs about 20 µs. */
const MAX_PROCESSES = 256;

/**
 * Looks into this process's environment, then on Linux into those with which it and its ancestors began: a shell or `env -i`
 * between them does not hide the agent. Not found: the agent of a process that left its ancestors (`setsid -f`), of another
 * user, or that itself began without a marker and started `env -i` in place of a shell.
 */
export function findAgent(env: Readonly<Record<string, string | undefined>>, pid: number): Agent | undefined {
  const own = MARKERS.find((name) => !UNSET.includes(env[name] ?? ''));
  if (own) return {variable: own, pid};
  let at: number | undefined = pid;
  // In a container, the agent's own environment may be process 1's.
  for (let count = 0; count < MAX_PROCESSES && at; count++, at = parentOf(at)) {
    const variable = markerIn(at);
    if (variable) return {variable, pid: at};
  }
  return undefined;
}

/** Returns the marker in the environment with which a process of this user began. */
function markerIn(pid: number): string | undefined {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
    if (!ANY_MARKER.test(environment)) return undefined;
    const entries = environment.split('\0');
    return MARKERS.find((name) =>
      entries.some((entry) => entry.startsWith(`${name}=`) && !UNSET.includes(entry.slice(name.length + 1))),
    );
  } catch {
    // The process ended, or belongs to another user; or the system has no /proc.
    return undefined;
  }
}

function parentOf(pid: number): number | undefined {
  try {
    // The program name, in parentheses, may contain any characters.
    const [, parent] = /.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))!;
    return Number(parent);
  } catch {
    return undefined;
  }
}
