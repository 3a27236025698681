// The matrix of live keys: each change with and without --live, --yes and a terminal. One table for short and long runs.

import {join} from 'node:path';
import {afterAll, describe, expect, test} from 'vitest';
import {isWrite} from '../../../src/api/operation.js';
import {operations} from '../../../src/api/registry.js';
import {cli, temporaryDirectory} from '../cli.js';
import {inTurn, looksBroken} from '../processes.js';
import {LIVE_KEY, showsKey} from '../services/servers.js';
import {service} from '../services/service.js';
import {terminalInProcess} from '../in-process.js';
import {ENTER, loaded} from '../terminal.js';
import {wordsOf} from '../words.js';

export interface Row {
  readonly id: string;
  readonly words: readonly string[];
  /** The requests of an allowed change. */
  readonly writes: readonly string[];
  readonly status?: number;
}

const IDS = /\b(?:bstm_li|bstm|cus|pi|cs|pay|re|wh|si|pm)_[A-Za-z0-9]+/g;

/** By its first example in the contract. */
const derived: Row[] = operations
  .filter(({operation}) => isWrite(operation))
  .map(({id, operation}) => {
    const words = wordsOf(operation.examples[0])[0]!;
    const ids = words.slice(2).join(' ').match(IDS) ?? [];
    let count = 0;
    const path = operation.path.replace(/:[a-z_]+/g, () => ids[count++]!);
    return {id, words, writes: [`${operation.method} ${path}`]};
  });

const STATEMENT = '/billing_statements/bstm_Made1';

export const ROWS: readonly Row[] = [
  ...derived,
  {
    id: 'composite',
    words: [
      ...['billing-statements', 'create', '--customer', 'cus_2mQ8', '--item', 'Web design x2 @ 15,000'],
      ...['--item', 'Hosting @ 1,000', '--due', '2031-12-15', '--send'],
    ],
    writes: [
      'POST /billing_statements',
      'POST /billing_statement_line_items',
      'POST /billing_statement_line_items',
      `PUT ${STATEMENT}`,
      `POST ${STATEMENT}/finalize`,
      `POST ${STATEMENT}/send`,
    ],
  },
  {
    id: 'several',
    words: ['billing-statements', 'finalize', 'bstm_7Hq2', 'bstm_8Jr3'],
    writes: ['POST /billing_statements/bstm_7Hq2/finalize', 'POST /billing_statements/bstm_8Jr3/finalize'],
  },
  {
    id: 'remind',
    words: ['billing-statements', 'remind', 'bstm_Open1', 'bstm_Open2'],
    writes: ['POST /billing_statements/bstm_Open1/send', 'POST /billing_statements/bstm_Open2/send'],
  },
  {
    id: 'settle',
    words: ['billing-statements', 'settle', 'bstm_Open1', '--paid-outside', 'cash, 12 Nov'],
    writes: ['POST /billing_statements/bstm_Open1/void'],
  },
  {
    id: 'api, a request of the contract',
    words: ['api', 'POST', '/refunds', '-d', 'payment_id=pay_3Fa9', '-d', 'amount=10000'],
    writes: ['POST /refunds'],
  },
  {
    id: 'api, another request',
    words: ['api', 'POST', '/coupons', '-d', 'name=June'],
    writes: ['POST /coupons'],
    status: 3,
  },
  {
    id: 'webhooks:listen',
    words: ['webhooks', 'listen', '--plain', '--count', '1', '--timeout', '1s'],
    writes: ['POST /webhooks', 'DELETE /webhooks/wh_Made1'],
    status: 9,
  },
];

interface Cell {
  readonly live: boolean;
  readonly terminal: boolean;
  readonly yes: boolean;
  /** The answer to the single question. */
  readonly answer?: 'n' | 'y';
}

/** Every combination, once for each answer if there is a question. */
const CELLS: readonly Cell[] = [true, false].flatMap((live) =>
  [true, false].flatMap((atTerminal) =>
    [true, false].flatMap((yes): Cell[] => {
      const cell = {live, terminal: atTerminal, yes};
      return live && atTerminal && !yes
        ? [
            {...cell, answer: 'n'},
            {...cell, answer: 'y'},
          ]
        : [cell];
    }),
  ),
);

const isAllowed = ({live, yes, answer}: Cell): boolean => live && (yes || answer === 'y');

const titleOf = ({live, terminal: atTerminal, yes, answer}: Cell): string =>
  [live && '--live', yes && '--yes', atTerminal ? 'terminal' : 'none', answer].filter(Boolean).join(' ');

interface Outcome {
  readonly status: number | null;
  readonly shown: string;
  readonly writes: readonly string[];
  readonly reads: number;
}

/** Statements that can be sent and settled. */
const OPEN = {bstm_Open1: {status: 'open'}, bstm_Open2: {status: 'open'}};
/** Changes that need an open statement. */
const FOR_OPEN = /^billing-statements:(?:mark-uncollectible|send|void)$/;

const QUESTION = /LIVE · env: [^\n]*\? \(y\/N\)/;

async function runCell({id, words}: Row, cell: Cell, directory: string): Promise<Outcome> {
  const api = await service(FOR_OPEN.test(id) ? {...OPEN, bstm_7Hq2: {status: 'open'}} : OPEN);
  const env = {CENTAVO_BASE_URL: api.url, CENTAVO_SECRET_KEY: LIVE_KEY, NO_COLOR: '1'};
  const args = [...words, ...(cell.live ? ['--live'] : []), ...(cell.yes ? ['--yes'] : [])];
  let outcome: {status: number | null; shown: string};
  if (cell.terminal) {
    const desk = terminalInProcess(directory, args, {env, columns: 250});
    if (cell.answer) {
      await desk.until(QUESTION);
      expect(api.writes(), 'sent before it was confirmed').toEqual([]);
      desk.type(`${cell.answer}${ENTER}`);
    }
    outcome = {status: await desk.ended, shown: desk.text()};
  } else {
    const {status, stdout, stderr} = await cli(directory, {env})(args);
    outcome = {status, shown: `${stdout}${stderr}`};
  }
  await api.close();
  return {...outcome, writes: api.writes(), reads: api.reads().length};
}

/** Defines a test for each row, and one for their number. */
export function liveMatrix(rows: readonly Row[]): void {
  const directory = temporaryDirectory(afterAll);
  const turn = inTurn();
  const cells = CELLS.filter((cell) => !cell.terminal || loaded.pty);
  const counts = {cells: 0, allowed: 0, writes: 0, reads: 0};

  describe('a live key', () => {
    test.for(rows.map((row) => [row.id, row] as const))('%s', async ([, row]) => {
      await Promise.all(
        cells.map(async (cell) => {
          // A machine of its own: the service always gives the same ids, and a statement that was sent is not sent again.
          const own = join(directory, `${row.id} ${titleOf(cell)}`.replaceAll(' ', '_'));
          const {status, shown, writes, reads} = await turn(() => runCell(row, cell, own));
          const title = `${titleOf(cell)}: ${shown}`;
          const allowed = isAllowed(cell);
          expect(writes, title).toEqual(allowed ? row.writes : []);
          expect(status, title).toBe(allowed ? (row.status ?? 0) : 12);
          if (!allowed) expect(shown, title).toContain('Nothing was changed.');
          expect(QUESTION.test(shown), title).toBe(cell.answer !== undefined);
          // Without a question, nothing is read.
          if (cell.answer === undefined && !allowed) expect(reads, title).toBe(0);
          // A new webhook's secret is shown, once.
          const ownSecret = row.id === 'webhooks:create' && allowed ? /whsk_\w+/ : '';
          expect(showsKey(shown.replace(ownSecret, '')), title).toBe(false);
          expect(looksBroken({stdout: shown, stderr: ''}), title).toBe(false);
          counts.cells++;
          if (allowed) counts.allowed++;
          counts.writes += writes.length;
          counts.reads += reads;
        }),
      );
    });

    test('the whole matrix was run', () => {
      const {cells: run, allowed, writes, reads} = counts;
      console.info(
        `Live matrix: ${rows.length} commands, ${run} cells; ${allowed} let through, which sent ${writes} changes; ${reads} reads for questions.`,
      );
      expect(run).toBe(rows.length * cells.length);
    });
  });
}
