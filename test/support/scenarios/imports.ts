// A merchant with an import file, and the service that receives it.

import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {onTestFinished} from 'vitest';
import {shownDirectory} from '../cli.js';
import {commandsIn} from '../commands.js';
import {importFile, importService, type ImportFaults, type ImportService} from '../services/import-service.js';

/** Ids of this machine's jobs, unordered. */
export const jobsIn = (directory: string): string[] =>
  readdirSync(join(directory, 'jobs'))
    .filter((name) => name.endsWith('.db'))
    .map((name) => name.slice(0, -3));

/** Arguments that bill a whole file. */
export const importing = (file: string, ...more: string[]): string[] => [
  ...['billing-statements', 'import', file, '--send'],
  ...more,
];

/** A machine with `june.csv`. @param env the account of its commands */
export function machineWith(text: string, env: ImportService['env']) {
  const directory = shownDirectory();
  const file = join(directory, 'june.csv');
  writeFileSync(file, text);
  return {
    directory,
    file,
    run: commandsIn(directory, {pace: 0.01, env}),
    /** Rows of the result file by external id, as objects. */
    result: () => {
      const [header, ...lines] = readFileSync(join(directory, 'june-result.csv'), 'utf8')
        .slice(1)
        .trimEnd()
        .split(/\r?\n/);
      const names = header!.split(',');
      const rows = lines.map((line) => {
        const cells = line.split(',');
        // Only the last column, the error, may contain commas.
        cells.push(cells.splice(names.length - 1).join(','));
        return Object.fromEntries(cells.map((cell, at) => [names[at]!, cell])) as Record<string, string>;
      });
      return new Map(rows.map((row) => [row.external_id!, row]));
    },
  };
}

/** A service, and a machine with a file of `count` statements. */
export async function importStage(count: number, {live = false, ...faults}: ImportFaults & {live?: boolean} = {}) {
  const service = await importService(faults);
  onTestFinished(() => service.close());
  const env = live ? service.liveEnv : service.env;
  const {text, amounts} = importFile(count);
  return {service, env, text, amounts, ...machineWith(text, env)};
}

/** Ctrl-C after a number of changes. */
export function stopAfter(service: ImportService, changes: number): {readonly signal: AbortSignal} {
  const stop = new AbortController();
  let seen = 0;
  service.faults = {onChange: () => ++seen === changes && stop.abort()};
  return {signal: stop.signal};
}
