// The licences of bundled packages, and a bill of materials (CycloneDX) for vulnerability scanners, which find no packages in a bundle.
// Neither contains a time or a random number: the same sources give the same bytes.

import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (...path) => readFileSync(join(root, ...path), 'utf8');

/** Compiled into files of packages, without their licences. */
const COMPILED = [
  {name: 'jq', inside: 'jq-wasm', license: 'MIT', purl: 'pkg:github/jqlang/jq'},
  {name: 'oniguruma', inside: 'jq-wasm', license: 'BSD-2-Clause', purl: 'pkg:github/kkos/oniguruma'},
  {name: 'llhttp', inside: 'undici', license: 'MIT', purl: 'pkg:github/nodejs/llhttp'},
].map((each) => ({...each, text: read('tools/licenses', `${each.name}.txt`).trim()}));

/** @param paths of all modules in the bundle, relative to the clone @returns each package once, by name and version */
function packagesOf(paths) {
  const folders = paths.map((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll('\\', '/'))?.[1]);
  const packages = [...new Set(folders.filter(Boolean))].sort().map((folder) => {
    const {name, version, license} = JSON.parse(read(folder, 'package.json'));
    const file = readdirSync(join(root, folder)).find((entry) => /^licen[sc]e/i.test(entry));
    if (!file || !license) throw new Error(`${folder} does not say under which licence it is.`);
    return {folder, name, version, license, text: read(folder, file).trim()};
  });
  return [...new Map(packages.map((each) => [`${each.name}@${each.version}`, each])).values()];
}

/** The licence text of each bundled package. */
export const licencesOf = (paths) =>
  [...packagesOf(paths), ...COMPILED]
    .map(({name, version, inside, license, text}) => `${name} ${version ?? `in ${inside}`} (${license})\n\n${text}\n`)
    .join(`\n${'-'.repeat(80)}\n\n`);

const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** Bundled packages are required; packages that npm installs are optional. */
export function sbomOf(paths) {
  const {name, version, license} = JSON.parse(read('package.json'));
  const {packages: locked} = JSON.parse(read('package-lock.json'));
  const component = (scope, folder, each) => {
    const hash = locked[folder]?.integrity?.replace('sha512-', '');
    if (!hash) throw new Error(`package-lock.json does not have ${folder}.`);
    const purl = purlOf(each.name, each.version);
    const hashes = [{alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex')}];
    const licenses = [{expression: each.license}];
    return {type: 'library', 'bom-ref': purl, name: each.name, version: each.version, scope, hashes, licenses, purl};
  };
  const bundled = packagesOf(paths).map((each) => component('required', each.folder, each));
  const installed = Object.entries(locked)
    .filter(([folder, {dev}]) => folder !== '' && !dev)
    .map(([folder, each]) => component('optional', folder, {...each, name: folder.replace(/^.*node_modules\//, '')}))
    .filter(({purl}) => !bundled.some((each) => each.purl === purl));
  const compiled = COMPILED.map(({name, license, purl}) => ({
    ...{type: 'library', 'bom-ref': purl, name, scope: 'required', licenses: [{expression: license}], purl},
  }));
  const self = purlOf(name, version);
  const sbom = {
    ...{
      $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      version: 1,
    },
    metadata: {
      component: {type: 'application', 'bom-ref': self, name, version, licenses: [{expression: license}], purl: self},
    },
    components: [...bundled, ...compiled, ...installed],
  };
  return `${JSON.stringify(sbom, null, 1)}\n`;
}
