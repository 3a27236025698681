// Where the process starts: it answers the version and help from files, and loads the program for everything else.

import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {findHelp, mayAskForHelp} from './cli/help/help.js';
import {withoutJson} from './cli/program/wants-json.js';
import {useBuiltCode} from './built-code.js';
import {EXIT_CODES} from './ground/errors.js';

export {builtCodeName} from './built-code.js';

const VERSION = ['--version', '-V', 'version'];

/** Runs one command line. @param root the package's folder */
export async function start(argv: readonly string[], root: string): Promise<void> {
  const {stdout, env, platform} = process;
  const {version} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {version: string};
  const asked = withoutJson(argv);
  if (asked.length === 1 && VERSION.includes(asked[0]!)) {
    const [machine, node] = [`${platform}-${process.arch}`, process.version];
    const json = asked.length < argv.length;
    return print(
      json ? `${JSON.stringify({version, platform: machine, node})}\n` : `centavo/${version} ${machine} node-${node}\n`,
    );
  }
  if (mayAskForHelp(argv)) {
    const columns = stdout.isTTY ? stdout.columns : undefined;
    const page = findHelp(argv, {root, columns, env, isTerminal: stdout.isTTY});
    if (page !== undefined) return print(page);
  }
  if (!useBuiltCode(root, process)) {
    const {enableCompileCache} = await import('./compile-cache.js');
    await enableCompileCache({env, platform, user: process.getuid?.(), version});
  }
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
