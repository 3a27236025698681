// Tab completion in real shells, with the script installed by `completion install`.

import {spawnSync} from 'node:child_process';
import {existsSync, mkdirSync, readFileSync, statSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {statementNumberCache} from '../../../src/billing/account/lookup-cache.js';
import {temporaryDirectory} from '../../support/cli.js';
import {commandsIn} from '../../support/commands.js';
import {terminalInProcess} from '../../support/in-process.js';
import {loaded, terminal} from '../../support/terminal.js';

const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit']).error === undefined;
const missing = (shell: string): string | undefined =>
  process.env.CI ? undefined : loaded.pty ? (has(shell) ? undefined : `no ${shell}`) : loaded.reason;

/** Arguments in place of those from the shell script. */
const PROGRAM = `#!/bin/sh
[ "$1" = __complete ] && exec "$NODE" "$RUN" "$@"
printf 'ran:'; printf ' [%s]' "$@"; echo
`;

function home(): string {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'bin'));
  writeFileSync(join(directory, 'bin', 'centavo'), PROGRAM, {mode: 0o755});
  writeFileSync(join(directory, 'june sales.csv'), '');
  return directory;
}

describe.each([
  ['bash', 'bash -i'],
  ['fish', 'fish -i'],
  ['zsh', 'zsh -i'],
])('%s', (shell, start) => {
  const why = missing(shell);
  test.skipIf(why)(`completes with Tab what is typed${why ? ` (${why})` : ''}`, async () => {
    const directory = home();
    const env = {PATH: `${join(directory, 'bin')}:${process.env.PATH}`, LANG: 'C.UTF-8', SHELL: `/bin/${shell}`};
    statementNumberCache({
      directory,
      profile: 'sandbox',
      mode: 'sandbox',
      user: process.getuid?.(),
      token: () => 'x',
    }).update(
      new Map(
        ['$(touch pwned)-1', '`touch pwned`-2', 'x;touch pwned;-3', 'KAPE-0002'].map((number) => [number, 'bstm_1']),
      ),
    );
    const installed = await commandsIn(directory, {env})(['completion', 'install', '--yes', '--json']);
    expect(installed.json()).toMatchObject({shell, changed: true});

    const {type, until, text, ended} = terminal(directory, [], {env, shell: `cd "$HOME" && exec ${start}`});
    type("echo is-'here'\r");
    await until(/is-here/);
    for (const [typed, ran] of [
      ['stat\t', '[status]'],
      ['customers led\t', '[customers] [ledger]'],
      ['status --output=t\t', '[status] [--output=table]'],
      ['status -o t\t-q', '[status] [-o] [table] [-q]'],
      ['send \t', '[send] [KAPE-0002]'],
      ['send kape\t', '[send] [KAPE-0002]'],
      ['import ju\t', '[import] [june sales.csv]'],
      ['export --file=ju\t', '[export] [--file=june sales.csv]'],
      ['sand\ted demo', '[sandbox] [ed] [demo]'],
    ] as const) {
      type(`centavo ${typed}\r`);
      await until(new RegExp(`ran: ${ran.replace(/[[\]]/g, '\\$&')}\\s`));
    }
    type('exit\r');
    await ended;
    expect(existsSync(join(directory, 'pwned'))).toBe(false);
    expect(text()).not.toContain('touch');
  });
});

describe('completion install', () => {
  const OWN = '# mine, \u00e9\nexport A=1';

  test('adds one line to a startup file after confirmation, and only once', async () => {
    const directory = home();
    const run = commandsIn(directory);
    const startup = join(directory, '.bashrc');
    const script = join(directory, 'completion.bash');
    writeFileSync(startup, Buffer.from(OWN, 'latin1'), {mode: 0o640});
    const install = ['completion', 'install', 'bash'];

    const refused = await run(install);
    expect(refused.status).toBe(12);
    expect(refused.stderr).toBe(
      `Error: this would add a line to ${startup}, and no terminal is available to confirm it.\n  Nothing was changed.\n  A person decides this, at a terminal.\n`,
    );
    expect((await run([...install, '--dry-run'])).stderr).toBe(
      `Nothing was changed: this would add a line to ${startup}.\n`,
    );
    const asked = terminalInProcess(directory, install);
    await asked.until(/Add a line to .*\.bashrc\?/);
    asked.type('n\r');
    expect(await asked.ended).toBe(12);
    expect(readFileSync(startup, 'latin1')).toBe(OWN);
    expect(existsSync(script)).toBe(false);

    const agreed = terminalInProcess(directory, install);
    await agreed.until(/Add a line to .*\.bashrc\?/);
    agreed.type('y\r');
    expect(await agreed.ended).toBe(0);
    expect(agreed.text()).toContain('source ');
    const after = `${OWN}\n[ ! -r ${script} ] || source ${script} # Tab completes centavo\n`;
    expect(readFileSync(startup, 'latin1')).toBe(after);
    expect(statSync(startup).mode & 0o777).toBe(0o640);
    // Needs no database, which some Nodes lack.
    expect(existsSync(join(directory, 'history.db'))).toBe(false);

    expect((await run([...install, '--json'])).json()).toMatchObject({startup_file: startup, changed: false});
    writeFileSync(script, '# Completes centavo in bash, as an older version did\n');
    expect((await run([...install, '--json'])).json()).toMatchObject({changed: true});
    expect(readFileSync(script, 'utf8')).toBe((await run(['completion', 'print', 'bash'])).stdout);
    expect(readFileSync(startup, 'latin1')).toBe(after);
  });

  test('asks before replacing a file that is not its own', async () => {
    const directory = home();
    const run = commandsIn(directory, {env: {XDG_CONFIG_HOME: join(directory, 'config')}});
    const folder = join(directory, 'config', 'fish', 'completions');
    mkdirSync(folder, {recursive: true});
    writeFileSync(join(folder, 'centavo.fish'), '# mine\n');
    expect(await run(['completion', 'install', 'fish'])).toMatchObject({status: 12});
    expect(readFileSync(join(folder, 'centavo.fish'), 'utf8')).toBe('# mine\n');
    expect(await run(['completion', 'install', 'fish', '--yes'])).toMatchObject({status: 0});
    expect(readFileSync(join(folder, 'centavo.fish'), 'utf8')).toContain('complete -c centavo');
  });

  test('rejects an unknown shell', async () => {
    const run = commandsIn(home());
    const unknown = await run(['completion', 'install', 'tcsh']);
    expect(unknown.stderr).toBe(
      'Error: completion does not support "tcsh".\n  Nothing was sent.\n  Shells: bash, fish, zsh\n',
    );
    expect((await run(['completion', 'install'])).stderr).toContain('Error: the shell is missing.\n');
    expect(await run(['completion', 'print'], {env: {SHELL: '/bin/tcsh'}})).toMatchObject({status: 2, stdout: ''});
    expect((await run(['completion', 'print'], {env: {SHELL: '/usr/bin/zsh'}})).stdout).toMatch(/^#compdef centavo\n/);
  });
});
