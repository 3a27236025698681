// Puts the built program, the library and their packages into a few files: a start then reads few files rather than many,
// and users install no packages but the native ones, which have parts of their own for each platform.

import {readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';
import {rolldown} from 'rolldown';
import {bundleDeclarations} from './declarations.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = (path) => join(root, 'dist', path);

const bundle = await rolldown({
  input: {
    main: dist('main.js'),
    index: dist('index.js'),
    'commands/index': dist('commands/index.js'),
    'cli/help-page': dist('cli/help-page.js'),
    // It is started by path, beside whatever starts it.
    'keychain-child': dist('config/keys/keychain-child.js'),
  },
  platform: 'node',
  external: ['libsql', '@napi-rs/keyring'],
  // Stack traces are for people.
  onwarn: (warning) => {
    throw new Error(warning.message);
  },
});
const {output} = await bundle.write({
  dir: join(root, 'bundle'),
  format: 'esm',
  minify: false,
  chunkFileNames: '[name].js',
});

const written = new Set(output.map(({fileName}) => join(fileName)));
for (const name of readdirSync(join(root, 'bundle'), {recursive: true}))
  if (name.endsWith('.js') && !written.has(join(name))) rmSync(join(root, 'bundle', name));
writeFileSync(join(root, 'bundle', 'index.d.ts'), bundleDeclarations(dist('index.d.ts')));
writeFileSync(join(root, 'bundle', 'LICENSES.txt'), licences(output));
// Which sources are in which file.
const contents = output.map(({fileName, moduleIds = []}) => [fileName, moduleIds.map((path) => relative(root, path))]);
writeFileSync(join(root, 'bundle', 'contents.json'), `${JSON.stringify(Object.fromEntries(contents), null, 1)}\n`);

/** The licence of each package that is inside, as its authors want it kept. */
function licences(chunks) {
  const folders = new Set(
    chunks
      .flatMap(({moduleIds = []}) => moduleIds)
      .map((path) => /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1])
      .filter(Boolean),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const {name, version, license} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
      const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
