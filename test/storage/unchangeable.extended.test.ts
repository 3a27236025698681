// A home that cannot be changed: its sandbox is listed, a change is refused, and the printed commands cure it.

import {fork, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {chmodSync, readdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {expect, test} from 'vitest';
import {openDatabase} from '../../src/storage/sqlite.js';
import {fileSystemOf, isLogSafe} from '../../src/storage/write-ahead-log.js';
import {cliEnvironment, RUN, temporaryDirectory} from '../support/cli.js';

const WRITER = fileURLToPath(new URL('../soak/log-crash.mjs', import.meta.url));
/** Root may write anywhere, unless it gives up this capability. */
const BOUND = process.getuid?.() === 0 ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search'] : [];

function run(directory: string, ...words: string[]): {status: number | null; stdout: string; stderr: string} {
  const [program = '', ...rest] = [...BOUND, process.execPath, RUN, ...words];
  return spawnSync(program, rest, {encoding: 'utf8', env: cliEnvironment(directory)});
}

const create = (directory: string, name: string) =>
  run(directory, 'customers', 'create', '--name', name, '--email', `${name}@example.com`);

const STATES: Readonly<Record<string, (path: string) => Promise<void> | void>> = {
  'with a clean journal': (path) => openDatabase(path).close(),
  'with a clean log': (path) => openDatabase(path, {journal: 'WAL'}).close(),
  'with the log of a killed process': async (path) => {
    const writer = fork(WRITER, ['--write', path, 'left', '1']);
    const end = once(writer, 'exit');
    await once(writer, 'message');
    writer.kill('SIGKILL');
    await end;
  },
};
const MODES: Readonly<Record<string, (folder: string) => void>> = {
  'its file read-only': (folder) => chmodSync(join(folder, 'sandbox.db'), 0o400),
  'its folder read-only': (folder) => chmodSync(folder, 0o500),
  'all read-only': (folder) => {
    for (const name of readdirSync(folder)) if (name.startsWith('sandbox.db')) chmodSync(join(folder, name), 0o400);
    chmodSync(folder, 0o500);
  },
};

const hasLog = isLogSafe({
  sqlite: process.versions.sqlite ?? '',
  platform: process.platform,
  fileSystem: fileSystemOf(join(tmpdir(), 'any')),
});

// Without a log, a killed process may leave a journal, which only a change can undo.
for (const [state, makeState] of Object.entries(STATES).filter(([name]) => hasLog || !name.includes('killed')))
  for (const [mode, restrict] of Object.entries(MODES))
    test(`a sandbox ${state}, ${mode}`, async () => {
      const directory = temporaryDirectory();
      const path = join(directory, 'sandbox.db');
      expect(create(directory, 'juan').status).toBe(0);
      await makeState(path);
      const names = readdirSync(directory);
      restrict(directory);
      try {
        const listed = run(directory, 'customers', 'list', '--json');
        expect(listed.status, listed.stderr).toBe(0);
        const {data} = JSON.parse(listed.stdout) as {data: {name: string}[]};
        expect(data.at(-1)).toMatchObject({name: 'juan'});
        if (state.includes('killed')) expect(data[0]!.name).toMatch(/^left-/);
        expect(readdirSync(directory)).toEqual(names);
        let change = create(directory, 'ana');
        for (let cures = 0; change.status !== 0; cures += 1) {
          expect(change.stderr).toMatch(/sandbox\.db(-\w+)? cannot be used\.|history\.db/);
          const cure = /: (chmod .*)$/m.exec(change.stderr)?.[1];
          expect(cure, change.stderr).toBeDefined();
          expect(cures).toBeLessThan(5);
          expect(spawnSync('sh', ['-c', cure!]).status).toBe(0);
          change = create(directory, 'ana');
        }
        expect(run(directory, 'customers', 'list', '--limit', '1').stdout).toContain('ana');
      } finally {
        chmodSync(directory, 0o700);
      }
    });
