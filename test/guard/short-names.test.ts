// A short name is its long name in all that counts: what an agent may do, what is asked, sent and recorded.

import {readFileSync} from 'node:fs';
import {expect, test} from 'vitest';
import type {CommandIndex} from '../../src/cli/catalog/command-index.js';
import {SHORT_NAMES} from '../../src/cli/catalog/short-names.js';
import {seededRandom} from '../../src/common/seeded-random.js';
import {temporaryDirectory} from '../support/cli.js';
import {commandsIn, IN_MEMORY} from '../support/commands.js';
import {LIVE_KEY} from '../support/services/servers.js';
import {AGENT, tellingService} from '../support/simulation/agents.js';

/** What follows each name, for a change that is asked about or for a read. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  bill: ['--customer', 'cus_2mQ8', '--item', 'Hosting @ 1,000', '--due', '2031-12-15'],
  duplicate: ['bstm_7Hq2', '--due', '2031-12-15'],
  edit: ['bstm_7Hq2', '--due', '2031-12-15'],
  export: ['--month', '2031-10'],
  import: ['-'],
  link: ['bstm_7Hq2'],
  print: ['bstm_7Hq2'],
  owed: [],
  refund: ['pay_3Fa9', '--amount', '450', '--reason', 'others'],
  reissue: ['bstm_7Hq2', '--due', '2031-12-15'],
  remind: ['bstm_7Hq2'],
  send: ['bstm_7Hq2'],
  settle: ['bstm_7Hq2', '--paid-outside', 'cash'],
  void: ['bstm_7Hq2'],
  wait: ['bstm_7Hq2', '--for', 'open'],
};

const INDEX: CommandIndex = JSON.parse(readFileSync(new URL('../../bundle/commands.json', import.meta.url), 'utf8'));
const NOW = Date.UTC(2031, 9, 1);
const ROWS = 'customer_id,description,quantity,unit_price,due\ncus_2mQ8,Rent,1,100,2031-12-15\n';
/** Everything that can be seen of a run on a new machine. @param more `--yes` */
async function seen(words: readonly string[], agent: typeof AGENT | undefined, more: readonly string[]) {
  // A service keeps what it was sent.
  const api = await tellingService(words.includes('edit') ? {status: 'draft'} : {});
  const folder = temporaryDirectory(undefined, IN_MEMORY);
  const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY, CENTAVO_PROFILE: undefined};
  const host = {findAgent: async () => agent, random: seededRandom(1)};
  const run = commandsIn(folder, {env, now: () => NOW, pace: 0, host});
  const {status, stdout, stderr} = await run([...words, '--live', '--json', ...more], {input: ROWS});
  const [history, stored] = await Promise.all(
    [['history'], ['approve', '--list']].map((each) => run([...each, '--json'])),
  );
  await api.close();
  const shown = JSON.stringify({
    status,
    stdout,
    stderr,
    history: history!.rows(),
    stored: stored!.stdout,
    writes: api.writes(),
  });
  return JSON.parse(shown.replaceAll(folder, '').replaceAll(/\b((?:ho|job|chg)_|centavo_(?:key|run)\W+)\w+/g, '$1'));
}

test.for(Object.entries(SHORT_NAMES))('%s does what %s does', async ([name, id]) => {
  const forms = [[name], id.split(':')].map((words) => [...words, ...ARGUMENTS[name]!]);
  for (const [agent, more] of [
    [AGENT, ['--yes']],
    [undefined, []],
    [undefined, ['--yes']],
  ] as const) {
    const [short, long] = await Promise.all(forms.map((words) => seen(words, agent, more)));
    expect(short).toEqual(long);
    // A change waits for a person, or is recorded.
    const changes = INDEX.commands[id]!.risk !== 'reads';
    expect({waits: short.stored.includes('"ho_'), records: short.history.length > 0}).toEqual({
      waits: changes && agent !== undefined,
      records: changes && agent === undefined && more.length > 0,
    });
  }
});
