#!/usr/bin/env node
// The production entry. The version is answered before anything is loaded.
import * as nodeModule from 'node:module';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Error: centavo needs Node 20.19 or later; this is ${process.versions.node}.\n`);
  process.exit(2);
}
const argv = process.argv.slice(2);
if (argv.length === 1 && ['--version', '-V', 'version'].includes(argv[0])) {
  const {version} = nodeModule.createRequire(import.meta.url)('../package.json');
  process.stdout.on('error', ({code}) => {
    if (code === 'EPIPE') process.exit(0);
    const why = code === 'ENOSPC' ? 'The disk is full.' : `The system reported ${code}.`;
    process.stderr.write(`Error: the output could not be written.\n  ${why}\n`);
    process.exit(15);
  });
  process.stdout.write(`centavo/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else {
  nodeModule.enableCompileCache?.();
  const {fileURLToPath} = await import('node:url');
  const root = fileURLToPath(new URL('..', import.meta.url));
  const {main} = await import('../bundle/main.js').catch(async (error) => {
    const {existsSync} = await import('node:fs');
    if (existsSync(`${root}bundle/main.js`)) throw error;
    const setup = `${root}tools/setup.mjs`;
    const next = existsSync(setup) ? `Run: node '${setup}'` : 'Install it again, without --ignore-scripts.';
    process.stderr.write(`Error: this copy of centavo is not built. ${next}\n`);
    process.exit(1);
  });
  await main(argv, root);
}
