// Data folders that lost a file after a send, and what the next reminder does.

import {copyFileSync, rmSync, truncateSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect} from 'vitest';
import {temporaryDirectory} from '../cli.js';
import {commandsIn} from '../commands.js';
import {historyIn, recordOne} from '../history/history.js';
import {failingServer, type Failure} from '../services/failing.js';
import {Merchant} from './merchant.js';

const DAY = 86_400_000;

/** Damage to a data folder, by name. `older` is a copy of the history from before the send. */
const DAMAGES: Readonly<Record<string, (file: (name: string) => string, older: string) => void>> = {
  nothing: () => {},
  'history.db missing': (file) => rmSync(file('history.db')),
  'history.db of zero bytes': (file) => truncateSync(file('history.db')),
  'an older history.db': (file, older) => copyFileSync(older, file('history.db')),
  'history.db of another account': (file) => copyFileSync(file('other/history.db'), file('history.db')),
  'runs.db missing': (file) => rmSync(file('runs.db'), {force: true}),
  'jobs missing': (file) => rmSync(file('jobs'), {recursive: true, force: true}),
  'all missing': (file) => {
    for (const name of ['history.db', 'runs.db', 'jobs']) rmSync(file(name), {recursive: true, force: true});
  },
};
const VERBS = ['bill', 'import', 'remind', 'send'] as const;
const ANSWERS: readonly (Failure | undefined)[] = [undefined, 'answer lost', 'refused'];
/** Days by which this machine's clock is ahead of the service's at the send, and at the reminder. */
const CLOCKS = [
  [0, 0],
  [-40, 0],
  [0, 40],
  [40, 0],
  [0, -40],
] as const;

export type LostHistory = readonly [
  verb: (typeof VERBS)[number],
  damage: string,
  failure: Failure | undefined,
  clock: readonly [number, number],
];

export const LOST_HISTORIES: readonly LostHistory[] = Object.keys(DAMAGES)
  .flatMap((damage) => VERBS.flatMap((verb) => ANSWERS.map((answer) => [verb, damage, answer] as const)))
  .map((each, index) => [...each, CLOCKS[index % CLOCKS.length]!]);

/** A merchant, a machine with a history, and a service that fails the next send. */
export async function machineThatLoses(done: (close: () => Promise<void> | void) => void, parent?: string) {
  const merchant = new Merchant(':memory:');
  done(() => merchant.close());
  const failure: {next?: Failure; first?: () => void} = {};
  const planned = new Proxy<Record<number, Failure>>(
    {},
    {
      get: (): any => {
        if (!/\/(?:send|refunds)$/.test(server.changes.at(-1)!)) return undefined;
        failure.first?.();
        failure.first = undefined;
        return failure.next;
      },
    },
  );
  const server = await failingServer(merchant, planned);
  done(server.close);
  const directory = temporaryDirectory(done, parent);
  const env = {CENTAVO_BASE_URL: server.url, CENTAVO_SECRET_KEY: merchant.sandbox.keys.secret};
  return {merchant, server, directory, failure, env, run: commandsIn(directory, {env, pace: 0.01})};
}

/** Sends by the verb, damages the folder and reminds: fails if the customer got two emails, or a send is told wrongly. */
export async function remindAfterLoss([verb, damage, failed, [ahead, later]]: LostHistory): Promise<void> {
  const closers: (() => Promise<void> | void)[] = [];
  const {merchant, server, directory, failure, run} = await machineThatLoses((close) => closers.push(close));
  const file = (name: string): string => join(directory, name);
  const at = (days: number) => ({now: () => Date.now() + days * DAY});
  const older = file('copy-of-history');
  const email = 'ana@example.com';
  const customer = await merchant.customer({name: 'Ana Cruz', email});
  await run(['customers', 'create', '--name', 'Bea', '--email', 'bea@example.com']);
  copyFileSync(file('history.db'), older);
  const other = historyIn(join(directory, 'other'));
  other.account = 'https://other.example.com test-key';
  recordOne(other);
  other.close();
  const known = verb === 'remind' || verb === 'send' ? await merchant.open({customer_id: customer.id}) : undefined;
  writeFileSync(
    file('june.csv'),
    `External ID,Customer Email,Item,Unit Price,Due\nA-1,${email},Web design,1500,2031-12-15\n`,
  );
  const words = {
    bill: ['bill', '--customer', email, '--item', 'Web design @ 1500', '--due', '2031-12-15', '--send'],
    import: ['billing-statements', 'import', file('june.csv'), '--send'],
    remind: ['remind', String(known?.id)],
    send: ['send', String(known?.id)],
  };
  failure.next = failed;
  const sent = await run(words[verb], at(ahead));
  const sentAt = merchant.sandbox.now();
  failure.next = undefined;
  const emails = (): number => server.made.filter(({path}) => path.endsWith('/send')).length;
  expect([emails(), sent.status === 0], sent.stderr).toEqual(
    failed === 'refused' ? [0, false] : [1, failed === undefined],
  );
  DAMAGES[damage]!(file, older);
  const {data} = await merchant.call('GET', '/billing_statements?limit=1');
  const remind = () => run(['remind', (data as {id: string}[])[0]!.id, '--json'], at(later));
  const first = await remind();
  const isForgotten = damage === 'all missing' || failed === 'refused';
  const reason = isForgotten ? null : failed === undefined ? 'sent_recently' : 'send_in_doubt';
  expect(first.rows(), first.stderr).toMatchObject([{reminded: isForgotten ? 'yes' : 'no', reason}]);
  if (!isForgotten)
    expect(Math.abs(Number(first.rows()[0]!.last_sent_at) - sentAt), 'the time of the send').toBeLessThan(60);
  const hasLost = damage.includes('history.db') && !isForgotten;
  expect(first.stderr.includes('Restored in the history')).toBe(hasLost);
  const again = await remind();
  expect(again.rows()).toMatchObject([{reminded: 'no', reason: reason ?? 'sent_recently'}]);
  expect(again.stderr).not.toContain('Restored in the history');
  expect(emails()).toBe(damage === 'all missing' && failed !== 'refused' ? 2 : 1);
  for (const close of closers.reverse()) await close();
}
