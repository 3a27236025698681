// Compiled code that was made when centavo was built and lies beside it (tools/record-code.cjs), so that even a first start compiles little.
// V8 checks neither the content of a source nor that of its compiled code: who can write here can also write the code itself.

import {fstatSync, openSync, readFileSync, readSync, statSync} from 'node:fs';
import {Module} from 'node:module';
import {dirname, join} from 'node:path';
import {Script} from 'node:vm';

/** Replaced by the hash of the other files of the bundle when that is made. */
const BUILD = '<build>';

type Node = Pick<NodeJS.Process, 'arch' | 'platform' | 'version'>;

/** The file for a Node, in the folder of the bundle. */
export const builtCodeName = ({version, platform, arch}: Node): string =>
  `code-${BUILD}-${version}-${platform}-${arch}`;

/** Of a file: its size and when it was changed last, in milliseconds, as it was when compiled, and where its compiled code begins and ends. */
export type BuiltFile = readonly [size: number, changed: number, start: number, end: number];

interface Loaders {
  readonly _extensions: Record<string, (module: Module, path: string) => void>;
  readonly wrap: (source: string) => string;
  readonly createRequire: typeof Module.createRequire;
}

/** Files are then loaded with it. @param root the package's folder @returns whether there is any for this build and this Node */
export function useBuiltCode(root: string, node: Node): boolean {
  let file: number;
  let files: Readonly<Record<string, BuiltFile>>;
  const read = (at: number, size: number): Buffer => {
    const part = Buffer.allocUnsafeSlow(size);
    readSync(file, part, 0, size, at);
    return part;
  };
  try {
    file = openSync(join(root, 'bundle', builtCodeName(node)), 'r');
    const start = read(0, 4).readUInt32LE();
    files = JSON.parse(read(start, fstatSync(file).size - start).toString()) as typeof files;
  } catch {
    return false;
  }
  const {_extensions: loaders, wrap, createRequire} = Module as unknown as Loaders;
  const load = loaders['.js']!;
  loaders['.js'] = (module, path) => {
    const known = path.startsWith(root) ? files[path.slice(root.length)] : undefined;
    if (!known || !isUnchanged(path, known)) return load(module, path);
    const [, , start, end] = known;
    const source = wrap(readFileSync(path, 'utf8'));
    const script = new Script(source, {filename: path, cachedData: read(start, end - start)});
    const run = script.runInThisContext() as (...given: readonly unknown[]) => void;
    run.call(module.exports, module.exports, createRequire(path), module, path, dirname(path));
  };
  return true;
}

function isUnchanged(path: string, [size, changed]: BuiltFile): boolean {
  const stats = statSync(path);
  return stats.size === size && stats.mtimeMs === changed;
}
