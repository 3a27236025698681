// Where the process starts: it answers the version and help from files, and loads the program for everything else.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {findHelp, mayAskForHelp} from './cli/help.js';
import {enableCompileCache} from './compile-cache.js';
import {EXIT_CODES} from './errors.js';

const VERSION = ['--version', '-V', 'version'];

/** Runs one command line. @param root the package's folder */
export async function start(argv: readonly string[], root: string): Promise<void> {
  const {stdout, env, platform} = process;
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  if (argv.length === 1 && VERSION.includes(argv[0]!)) {
    return print(`centavo/${version} ${platform}-${process.arch} node-${process.version}\n`);
  }
  if (mayAskForHelp(argv)) {
    const columns = stdout.isTTY ? stdout.columns : undefined;
    const page = findHelp(argv, {root, columns, env, isTerminal: stdout.isTTY});
    if (page !== undefined) return print(page);
  }
  await enableCompileCache({env, platform, user: process.getuid?.(), version});
  const {main} = await import('./main.js');
  await main(argv, root);
}

function print(text: string): void {
  process.stdout.on('error', ({code}: NodeJS.ErrnoException) => {
    // The reader has gone.
    if (code === 'EPIPE') process.exit(EXIT_CODES.ok.exit);
    const why = code === 'ENOSPC' ? 'The disk is full.' : `The system reported ${code}.`;
    process.stderr.write(`Error: the output could not be written.\n  ${why}\n`);
    process.exit(EXIT_CODES.local_io.exit);
  });
  process.stdout.write(text);
}
