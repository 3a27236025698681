// The program against an API that gives secrets away: every answer, every command line, every form, with Node's own debugging too.

import {afterAll, describe, expect, test} from 'vitest';
import {temporaryDirectory} from '../support/cli.js';
import {
  CANARIES,
  COMMANDS,
  FORMS,
  lookForCanaries,
  lookForKeys,
  lookForOthers,
  SCENARIOS,
} from '../support/scenarios/canaries.js';
import {cliInTurn} from '../support/processes.js';
import {rawServer} from '../support/services/servers.js';

const counted = {processes: 0, bytes: 0, pieces: 0};
afterAll(() => {
  console.log(
    `${counted.processes} processes, ${counted.bytes} bytes printed, ${counted.pieces} looks for a piece: none found.`,
  );
});

describe.each(Object.entries(SCENARIOS))('%s', (_, scenario) => {
  test('nothing of it is printed', {timeout: 300_000}, async () => {
    const server = await rawServer(scenario);
    const run = cliInTurn(temporaryDirectory(), {
      env: {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: CANARIES.key.text},
    });
    const runs = COMMANDS.flatMap((words, index) => [
      ...[0, 1, 2].map((more) => ({words: [...words, ...FORMS[(index + 2 * more) % FORMS.length]!], env: {}})),
      {words: [...words, '-v'], env: {NODE_DEBUG: index % 2 === 0 ? 'undici,http,net,tls' : 'undici,stream'}},
      {words: [...words, '--json', '-v', '--reveal'], env: {}},
    ]);
    await Promise.all(
      runs.map(async ({words, env}) => {
        const {stdout, stderr} = await run([...words, '--timeout', '3s'], {env});
        const printed = stdout + stderr;
        const all = words.includes('--reveal')
          ? [lookForKeys(printed), lookForCanaries(stderr)]
          : words.slice(0, 2).join(' ') === 'webhooks create'
            ? // It shows the secret of the new webhook.
              [lookForOthers(stdout), lookForCanaries(stderr)]
            : [lookForCanaries(printed)];
        for (const {leak, looked} of all) {
          expect(leak, words.join(' ')).toBeUndefined();
          counted.pieces += looked;
        }
        expect(printed.length, words.join(' ')).toBeGreaterThan(0);
        counted.processes++;
        counted.bytes += printed.length;
      }),
    );
    await server.close();
  });
});
