// Imports of every spreadsheet of the corpus: its statements or all its faults, as listed in files.txt.

import {parse} from 'csv-parse/sync';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {expect, onTestFinished, test} from 'vitest';
import {formatPesos} from '../../../../src/common/pesos.js';
import {imports} from '../../../fixtures/spreadsheets/imports.js';
import {temporaryDirectory} from '../../../support/cli.js';
import {commandsIn} from '../../../support/commands.js';
import {Merchant} from '../../../support/scenarios/merchant.js';

type Wire = Record<string, any>;

/** The due day relative to today, so that the list stays valid. @param due unix seconds */
function dueText(due: number | null): string {
  const days = Math.round(((due ?? 0) - Date.now() / 1000) / 86_400);
  if (!due) return 'no due date';
  return days < 90 ? 'in a month' : new Date((due + 8 * 3600) * 1000).toISOString().slice(0, 16).replace('T', ' ');
}

/** A statement with all its fields from the file. */
function shown({customer, amount, due_at: due, description, metadata, line_items: items}: Wire): string {
  const {external_id: id, centavo_key: _, centavo_run: __, ...more} = metadata as Wire;
  const item = ({description: text, quantity, unit_price: price}: Wire): string =>
    `${JSON.stringify(text)} ${quantity} × ${formatPesos(price)}`;
  const own = (description as string).startsWith('Payment for') ? [] : [JSON.stringify(description)];
  const heading = [JSON.stringify(id), `${customer.name} <${customer.email}>`, dueText(due), ...own];
  if (Object.keys(more).length > 0) heading.push(JSON.stringify(more));
  return `${heading.join(', ')}: ${(items as Wire[]).map(item).join(', ')}, ${formatPesos(amount)} in all`;
}

test('creates the statements of each file, or reports all faults and creates none', async () => {
  const directory = temporaryDirectory();
  const merchant = new Merchant(directory);
  onTestFinished(() => merchant.close());
  for (const name of ['Ana', 'Ben', 'Carla'])
    await merchant.customer({email: `${name.toLowerCase()}@example.com`, name});
  await merchant.customer({email: 'jose@example.com', name: 'José Cruz'});
  await merchant.customer({email: 'jcruz@example.com', name: 'Jose Cruz'});
  const run = commandsIn(directory);
  const result = join(directory, 'result.csv');
  const told: string[] = [];
  const counts = new Map([0, 2].map((status) => [status, 0]));
  for (const [name, {make, flags = []}] of Object.entries(imports)) {
    writeFileSync(join(directory, name), await make());
    const {status, stderr} = await run([
      'billing-statements',
      'import',
      join(directory, name),
      ...flags,
      '--yes',
      '--result',
      result,
    ]);
    expect([...counts.keys()], `${name}: ${stderr}`).toContain(status);
    counts.set(status!, counts.get(status!)! + 1);
    const rows: Wire[] = status === 0 ? parse(readFileSync(result), {bom: true, columns: true}) : [];
    const made = await Promise.all(rows.map(({id}) => merchant.call('GET', `/billing_statements/${id}`)));
    const words = stderr.replaceAll(`${directory}/`, '').trimEnd().split('\n');
    const notes = words
      .filter((line) => !/^(?:  →|Result|  *About)/.test(line))
      .map((line) => line.replaceAll(/\b(cus|bstm)_\w+/g, '$1_…'))
      .map((line) =>
        line.replace(
          /^( *Due )\d+ \p{L}+(?: (?!2031)\d{4})?$|(?<=^ *E-13 .*)(?:\d{4}-\d\d-\d\d|\d+ \p{L}+(?: \d{4})?)$/u,
          '$1in a month',
        ),
      );
    told.push([`${[name, ...flags].join(' ')} (exit ${status})`, ...notes, ...made.map(shown)].join('\n  '));
  }
  expect(Math.min(...counts.values())).toBeGreaterThanOrEqual(20);
  await expect(`${told.join('\n\n')}\n`).toMatchFileSnapshot('files.txt');
  // One test imports a hundred files: the limit for one command does not fit.
}, 600_000);
