// Four hundred rows on two computers, at terminals: the connection is lost, a terminal closed, processes are killed, and whoever is
// at it goes on with the line that is printed. Each row is billed and e-mailed once, by one of the two.

import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterAll, expect, test} from 'vitest';
import {cli, temporaryDirectory} from '../support/cli.js';
import {screen, type Screen} from '../support/screen.js';
import {importFile, importService} from '../support/services/import-service.js';
import {SEED} from '../support/seed.js';

const ROWS = Number(process.env.CENTAVO_ROWS ?? 400);
const MOST_RUNS = 14;
/** Milliseconds that the connection is lost for. */
const OUTAGE = 20_000;

test(`${ROWS} rows at two terminals (CENTAVO_SEED=${SEED})`, {timeout: 900_000}, async () => {
  const service = await importService({before: 0.01, reset: 0.01, after: 0.01}, SEED);
  afterAll(() => service.close());
  const {text, amounts} = importFile(ROWS);
  const desks = new Map<string, Screen>();
  const done: string[] = [];
  let back: Promise<void> | undefined;

  /** What happens at which change of the account. */
  const happens = new Map<number, () => unknown>([
    [ROWS, () => desks.get('one')!.kill('SIGHUP')],
    [2 * ROWS, () => desks.get('two')!.kill('SIGKILL')],
    [
      3 * ROWS,
      () => {
        service.cut = true;
        back = new Promise((resolve) => setTimeout(resolve, OUTAGE)).then(() => void (service.cut = false));
      },
    ],
    [4 * ROWS, () => desks.get('one')!.kill('SIGKILL')],
    [5 * ROWS, () => desks.get('two')!.kill('SIGINT')],
    [6 * ROWS, () => desks.get('one')!.kill('SIGHUP')],
  ]);
  service.faults = {
    ...service.faults,
    onChange: (number) => {
      if (!happens.has(number)) return;
      done.push(`change ${number}`);
      happens.get(number)!();
    },
  };

  async function bills(name: string) {
    const directory = temporaryDirectory(afterAll);
    const run = cli(directory, {env: service.env});
    const file = join(directory, 'june.csv');
    writeFileSync(file, text);
    let args = ['billing-statements', 'import', file, '--send', '--yes', '--concurrency', '16'];
    for (let runs = 1; runs <= MOST_RUNS; runs++) {
      const desk = screen(directory, args, {columns: 80, rows: 24, env: service.env, now: null});
      desks.set(name, desk);
      await desk.ended;
      const jobs = (await run(['jobs', 'list', '--json'])).rows() as {id: string}[];
      if (jobs.length > 0) args = ['jobs', 'resume', jobs[0]!.id, '--yes', '--concurrency', '16'];
      const said = await desk.text();
      // A user who is told that the API cannot be reached runs the printed command later, not fourteen times at once.
      if (/could not be reached/.test(said)) await back;
      if (/created by another run/.test(said)) {
        // One of them waits until the other has ended, and one does not.
        if (name === 'two') await first;
        args = [...args, '--adopt'];
      }
      if (/^Result: /m.test(said) && !/ (is|are) not done|To continue: /.test(said))
        return ((await run(['jobs', 'get', jobs[0]!.id, '--json'])).json() as any).rows as {
          external_id: string;
          sent: string;
          error_code: string | null;
          error: string | null;
        }[];
    }
    throw new Error(`${name} did not come to an end in ${MOST_RUNS} runs.`);
  }

  const first = bills('one');
  const [one, two] = await Promise.all([first, bills('two')]);
  await service.settled();
  const rows = [...one, ...two];
  const idsOf = (some: typeof rows): ReadonlySet<string> => new Set(some.map(({external_id: id}) => id));
  // A run says of a statement that the other one finalized: "It was finalized elsewhere and may have been sent."
  const doubted = idsOf(rows.filter(({sent, error}) => sent === 'unknown' || /may have been sent/.test(error ?? '')));
  const sent = idsOf(rows.filter((row) => row.sent === 'yes'));
  const emailed = new Set<unknown>();
  for (const {id, metadata} of await service.statements())
    if (service.emails().has(id)) emailed.add((metadata as Record<string, string>).external_id);
  const left = (rows: typeof one): number => rows.filter(({error_code: code}) => code === 'made_elsewhere').length;
  console.log(
    `CENTAVO_SEED=${SEED}: ${ROWS} rows at two terminals: ${emailed.size} sent, ${doubted.size} in doubt, ` +
      `${left(one)} and ${left(two)} left to the other; ${done.length} disturbances`,
  );
  expect(done).toHaveLength(happens.size);
  expect(await service.wrong(amounts)).toEqual([]);
  const all = [...amounts.keys()];
  expect(all.filter((id) => !emailed.has(id) && !doubted.has(id))).toEqual([]);
  expect(all.filter((id) => !sent.has(id) && !doubted.has(id))).toEqual([]);
  expect([...sent].filter((id) => !emailed.has(id))).toEqual([]);
});
