// The entry point. Prints the version and help from files, and loads the program for everything else.

import {mkdirSync, readFileSync} from 'node:fs';
import {isAbsolute, join} from 'node:path';
import type {CommandCatalogParts} from './cli/catalog/command-catalog.js';
import {findHelp, mayAskForHelp} from './cli/help/help.js';
import {withoutJson} from './cli/command-line.js';
import {EXIT_CODES} from './common/errors.js';

const VERSION = ['--version', '-V', 'version'];

/** @param root the package's folder */
export async function start(argv: readonly string[], root: string): Promise<void> {
  const {stdout, env} = process;
  const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as CommandCatalogParts['pjson'];
  const {version} = pjson;
  const words = withoutJson(argv);
  if (words.length === 1 && VERSION.includes(words[0]!)) {
    const [machine, node] = [`${process.platform}-${process.arch}`, process.version];
    const json = words.length < argv.length;
    return print(
      json ? `${JSON.stringify({version, platform: machine, node})}\n` : `centavo/${version} ${machine} node-${node}\n`,
    );
  }
  if (mayAskForHelp(argv)) {
    const columns = stdout.isTTY ? stdout.columns : undefined;
    const page = findHelp(argv, {root, columns, env, isTerminal: stdout.isTTY});
    if (page !== undefined) return print(page);
  }
  await enableCompileCache(env);
  const {main} = await import('./main.js');
  await main(argv, root, pjson);
}

/** Caches compiled code in the user's folder. In Node's default, below /tmp, another user could plant code. */
async function enableCompileCache({XDG_CACHE_HOME, HOME, USERPROFILE}: NodeJS.ProcessEnv): Promise<void> {
  const folder = XDG_CACHE_HOME || join(HOME ?? USERPROFILE ?? '', '.cache');
  // Only in Node 22.1 and later.
  const node = (await import('node:module')) as {enableCompileCache?: (folder: string) => unknown};
  if (!isAbsolute(folder) || !node.enableCompileCache) return;
  try {
    // Private whatever the umask is: another user could plant code here too.
    mkdirSync(join(folder, 'centavo'), {recursive: true, mode: 0o700});
  } catch {}
  node.enableCompileCache(join(folder, 'centavo'));
}

function print(text: string): void {
  process.stdout.on('error', ({code}: NodeJS.ErrnoException) => {
    // The reader closed stdout.
    if (code === 'EPIPE') process.exit(EXIT_CODES.ok.exit);
    const why = code === 'ENOSPC' ? 'The disk is full.' : `The system reported ${code}.`;
    process.stderr.write(`Error: the output could not be written.\n  ${why}\n`);
    process.exit(EXIT_CODES.local_io.exit);
  });
  process.stdout.write(text);
}
