// Packages that a table loads: the measuring ones only for text that needs them.

import {spawnSync} from 'node:child_process';
import {expect, test} from 'vitest';

const TABLE = String(new URL('../../../dist/output/tables/table-view.js', import.meta.url));

/** Packages loaded by a table of one cell. */
function loadedFor(text: string, width: number): string[] {
  const hooks = `import {writeSync} from 'node:fs';
    export async function resolve(specifier, context, next) {
      writeSync(2, specifier + '\\n');
      return next(specifier, context);
    }`;
  const script = `
    import {register} from 'node:module';
    register('data:text/javascript,' + encodeURIComponent(${JSON.stringify(hooks)}));
    const {tableView} = await import(${JSON.stringify(TABLE)});
    const io = {width: ${width}, paint: (_, text) => text};
    const columns = [{path: 'name', header: 'name', kind: 'text'}];
    const rows = [{name: ${JSON.stringify(text)}}];
    process.stdout.write((await tableView({rows, columns, all: columns, shape: 'many'}, {io})).text);`;
  const {stdout, stderr} = spawnSync(process.execPath, ['--input-type=module', '-e', script], {encoding: 'utf8'});
  expect(stdout, stderr).toMatch(/^NAME\n/);
  return ['cli-table3', 'string-width'].filter((name) => stderr.split('\n').includes(name));
}

test.each<[text: string, width: number, packages: readonly string[]]>([
  ['Juan dela Cruz', 80, ['cli-table3']],
  ['Peña · ₱1,250.50', 80, ['cli-table3']],
  ['山田太郎', 80, ['cli-table3', 'string-width']],
  ['Juan dela Cruz of Zamboanga', 20, ['cli-table3']],
  ['山田太郎 of Zamboanga City', 20, ['cli-table3', 'string-width']],
])('%j in %i columns: %j', (text, width, packages) => {
  expect(loadedFor(text, width)).toEqual(packages);
});
