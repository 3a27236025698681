// The sources of the secret of `webhooks listen`, and where it is written.

import {lstatSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, expect, test} from 'vitest';
import {commandsIn} from '../../../support/commands.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {listeningWithSecret, post, said, SECRET} from '../../../support/scenarios/listening.js';
import {webhooksLeft} from '../../../support/scenarios/merchant.js';
import {watch} from '../../../support/processes.js';

describe('the secret', () => {
  test.for([
    ['is added at the end', 'A=1\nB="two words"', `A=1\nB="two words"\nPAYREX_WEBHOOK_SECRET='${SECRET}'\n`],
    [
      'replaces the one that is there, with export and CRLF kept',
      '# mine\r\nexport PAYREX_WEBHOOK_SECRET=old # note\r\nB=\xFF\r\n\r\n',
      `# mine\r\nexport PAYREX_WEBHOOK_SECRET='${SECRET}'\r\nB=\xFF\r\n\r\n`,
    ],
    [
      'leaves mixed ends of lines as they are',
      'A=1\r\nB=2\nC=3\r\n',
      `A=1\r\nB=2\nC=3\r\nPAYREX_WEBHOOK_SECRET='${SECRET}'\r\n`,
    ],
    [
      'is not put where a longer name stands',
      'OLD_PAYREX_WEBHOOK_SECRET=1\nPAYREX_WEBHOOK_SECRET_2=2\n',
      `OLD_PAYREX_WEBHOOK_SECRET=1\nPAYREX_WEBHOOK_SECRET_2=2\nPAYREX_WEBHOOK_SECRET='${SECRET}'\n`,
    ],
    ['makes the file', undefined, `PAYREX_WEBHOOK_SECRET='${SECRET}'\n`],
  ] as const)('in an env file %s, with mode 0600', async ([, before, after]) => {
    const directory = temporaryDirectory();
    const file = join(directory, '.env.local');
    if (before !== undefined) writeFileSync(file, before, {encoding: 'latin1', mode: 0o644});
    const running = listeningWithSecret(directory, ['--write-env', file]);
    expect((await running.next('notice')).message).toContain(file);
    expect(readFileSync(file, 'latin1')).toBe(after);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    await running.stop();
  });

  test('goes into the named variable, through a link that stays a link', async () => {
    const directory = temporaryDirectory();
    const [file, link] = [join(directory, 'real'), join(directory, 'link')];
    writeFileSync(file, 'HOOK=old\n');
    symlinkSync(file, link);
    const running = listeningWithSecret(directory, ['--write-env', `${link}:HOOK`]);
    await running.next('notice');
    expect(readFileSync(file, 'utf8')).toBe(`HOOK='${SECRET}'\n`);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    await running.stop();
  });

  test('that cannot be written is exit 15, and no webhook remains', async () => {
    const directory = temporaryDirectory();
    const result = await commandsIn(directory)([
      'webhooks',
      'listen',
      '--json',
      '--write-env',
      join(directory, 'no/such/.env'),
    ]);
    expect(result.status).toBe(15);
    expect(result.error()).toMatchObject({exit_code: 15, message: expect.stringContaining('no/such/.env')});
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test.for([
    ['nothing', ''],
    ['a blank line before', `\n${SECRET}`],
    ['two line breaks after', `${SECRET}\n\n`],
    ['spaces around', ` ${SECRET} `],
    ['two lines', `${SECRET}\nmore`],
    ['something short', 'whsk_1'],
  ])('from stdin with %s is exit 2, and nothing is registered', async ([, input]) => {
    const directory = temporaryDirectory();
    const result = await commandsIn(directory)(['webhooks', 'listen', '--secret-stdin', '--json'], {input});
    expect(result.status).toBe(2);
    expect(result.error().message).toMatch(/stdin/);
    expect(result.stderr).not.toContain(SECRET);
    expect(await webhooksLeft(directory)).toBe(0);
  });

  test('from stdin may end with a line break, and is printed only with --print-secret', async () => {
    const directory = temporaryDirectory();
    const shown = watch(directory, ['webhooks', 'listen', '--secret-stdin', '--print-secret', '--count', '1']);
    shown.child.stdin!.end(`${SECRET}\n`);
    const hidden = listeningWithSecret(directory, ['--count', '1']);
    const {url} = await hidden.next('ready');
    await post(url);
    expect(await hidden.ended).toMatchObject({status: 0});
    expect(`${hidden.stdout()}${hidden.stderr()}`).not.toContain(SECRET);
    await said(shown, new RegExp(`Secret: ${SECRET}$`, 'm'));
    shown.child.kill('SIGINT');
    expect(await shown.ended).toMatchObject({status: 130});
  });
});
