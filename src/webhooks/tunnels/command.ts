// Any program that makes a tunnel: its command as the user wrote it, and what its URL looks like in its output.

import {usageError} from '../../errors.js';
import {programProvider, type ProgramTunnelOptions} from './program-tunnel.js';
import {publicBase, type TunnelProvider} from './tunnel.js';
import {splitWords} from '../../input/shell-words.js';

const WHERE = 'It is the first word of --tunnel command:…; check how it is written.';

/** A pattern as the user wrote it. @throws CentavoError kind `usage` */
export function urlPattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (cause) {
    throw usageError(`--tunnel-url-pattern ${JSON.stringify(text)} is no regular expression.`, {
      hint: String.raw`For example: --tunnel-url-pattern 'https://\S+\.example\.com'`,
      cause,
    });
  }
}

/** The public URL in a line: the pattern's first group, else all that it matches. */
export function urlIn(line: string, pattern: RegExp): string | undefined {
  const match = pattern.exec(line);
  return match === null ? undefined : publicBase(match.slice(1).find(Boolean) ?? match[0]);
}

export interface CommandOptions extends ProgramTunnelOptions {
  /** `{port}` in any word stands for the local port. */
  readonly command: string;
  readonly pattern?: RegExp;
  /** Where the tunnel is reached; without a pattern it then counts as ready once it has been started. */
  readonly publicUrl?: string;
}

/** @throws CentavoError kind `usage` */
export function commandProvider({command, pattern, publicUrl, ...options}: CommandOptions): TunnelProvider {
  const [program, ...args] = splitWords(command);
  if (!program)
    throw usageError('--tunnel command: names no program.', {
      hint: `For example: --tunnel 'command:mytunnel http {port}'`,
    });
  if (pattern === undefined && publicUrl === undefined) {
    throw usageError('with --tunnel command: it must be told where the tunnel is reached.', {
      hint: String.raw`Add --tunnel-url-pattern 'https://\S+', which finds the URL in its output, or --public-url https://…`,
    });
  }
  return programProvider(
    {
      name: 'command',
      program,
      where: WHERE,
      args: (localPort) => args.map((word) => word.replaceAll('{port}', String(localPort))),
      reader: () => (line) => {
        if (pattern === undefined) return publicUrl;
        const found = line === undefined ? undefined : urlIn(line, pattern);
        return found && (publicUrl ?? found);
      },
    },
    options,
  );
}
