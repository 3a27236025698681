// Bundles the declarations of the library into one file: the exports of src/index.ts and their references.
// Declaration bundlers for Node 20 need an older TypeScript than this project.

import {readFileSync} from 'node:fs';
import {dirname, join, normalize} from 'node:path';

/**
 * @param entry path of the entry's declarations, as the compiler wrote them
 * @returns the text of one file that needs no other
 * @throws Error for a declaration of another package, or two with the same name
 */
export function bundleDeclarations(entry) {
  const files = new Map();
  const included = new Map();

  /** The parts of a file: its declarations by name, and its imports by local name. */
  function parse(path) {
    if (files.has(path)) return files.get(path);
    const file = {path, declarations: new Map(), imports: new Map()};
    files.set(path, file);
    for (const statement of statementsOf(readFileSync(path, 'utf8'))) {
      const taken = /^(?:import|export)\s+(?:type\s+)?\{([\s\S]*?)\}\s+from\s+'([^']+)';/.exec(statement.code);
      if (taken) {
        if (!taken[2].startsWith('.')) throw new Error(`${path} needs ${taken[2]}, which users may not have.`);
        const from = normalize(join(dirname(path), taken[2])).replace(/\.js$/, '.d.ts');
        for (const each of taken[1].split(',').filter((name) => name.trim())) {
          const [name, local = name] = each
            .trim()
            .replace(/^type\s+/, '')
            .split(/\s+as\s+/);
          file.imports.set(local, {from, name});
        }
        continue;
      }
      if (statement.code.startsWith('export {};')) continue;
      const name = /^(?:export )?(?:declare )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/.exec(
        statement.code,
      )?.[1];
      if (name === undefined) throw new Error(`${path}: ${statement.code.slice(0, 80)}`);
      const before = file.declarations.get(name);
      file.declarations.set(name, before ? `${before}\n${statement.text}` : statement.text);
    }
    return file;
  }

  function include(path, name) {
    const file = parse(path);
    const elsewhere = file.imports.get(name);
    if (elsewhere) {
      if (elsewhere.name !== name) throw new Error(`${path} calls ${elsewhere.name} ${name}.`);
      return include(elsewhere.from, name);
    }
    const declaration = file.declarations.get(name);
    if (declaration === undefined || included.get(name)?.path === path) return;
    if (included.has(name)) throw new Error(`${name} is declared in ${path} and in ${included.get(name).path}.`);
    // The compiler writes some references as `import("./other.js").Name`.
    const text = declaration.replace(/import\("([^"]+)"\)\.(\w+)/g, (_, from, other) => {
      if (!from.startsWith('.')) throw new Error(`${path} needs ${from}, which users may not have.`);
      file.imports.set(other, {from: normalize(join(dirname(path), from)).replace(/\.js$/, '.d.ts'), name: other});
      return other;
    });
    included.set(name, {path, text: text.replaceAll(/^export /gm, '')});
    // A type is referred to by its name, which has a capital; a value only by `typeof`.
    const code = text.replaceAll(/\/\*\*[\s\S]*?\*\//g, '');
    const words = code.match(/(?<=\btypeof )\w+|\b[A-Z]\w*/g);
    for (const word of new Set(words)) if (word !== name) include(path, word);
  }

  const exported = [...parse(entry).imports.keys()];
  for (const name of exported) include(entry, name);
  return `${[...included.values()].map(({text}) => text).join('\n')}\nexport {\n${exported.map((name) => `  ${name},\n`).join('')}};\n`;
}

/** The statements of a file, each with its comment. The compiler begins top-level statements in the first column. */
function statementsOf(text) {
  const statements = [];
  let lines = [];
  const codeOf = (all) => all.join('\n').replace(/^(?:\/\*\*[\s\S]*?\*\/\s*|\/\/.*\n\s*)+/, '');
  for (const line of text.split('\n')) {
    const code = codeOf(lines);
    const begins = /^(?:export|import|declare|interface|type|class|\/\*\*|\/\/)/.test(line);
    if (begins && code.trim() !== '') {
      statements.push({text: lines.join('\n'), code});
      lines = [];
    }
    lines.push(line);
  }
  const code = codeOf(lines).trim();
  if (code !== '') statements.push({text: lines.join('\n').trimEnd(), code});
  return statements;
}
