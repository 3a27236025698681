// Writes a report to the file that --file names.

import type {Context} from '../context/context.js';
import {forceFlag} from './base.js';
import type {GlobalFlags} from './global-flags.js';
import {Flags} from './oclif.js';
import {resultOfRecord} from './records.js';
import * as schema from './schema.js';

const WRITTEN = schema.record({file: schema.text});

/** Returns the schema of a report. With --file, JSON is only the path of the file. */
export const reportSchema = (report: schema.Schema): schema.Schema => schema.either(report, WRITTEN, schema.dryRun);

export const fileFlags = {
  file: Flags.string({summary: 'Write CSV to this file instead of stdout.', helpValue: '<file>'}),
  force: forceFlag,
};

/**
 * Checks --file before the first request. All output of the command is then CSV, whatever its format, and is written to
 * that file at the end.
 */
export async function printToFile(
  {io, fileToWrite}: Context,
  {file: path, force, 'dry-run': isDry}: GlobalFlags & {readonly file?: string; readonly force?: boolean},
) {
  if (path === undefined) return undefined;
  const file = await fileToWrite(path, {flag: '--file', force});
  if (isDry) return undefined;
  const pieces: string[] = [];
  const end = async () => {
    // Excel recognizes UTF-8 only by a byte order mark.
    await file.write(['\uFEFF', ...pieces]);
    io.note(`Wrote ${path}.`);
    return resultOfRecord(WRITTEN, {file: path});
  };
  io.kept = {pieces, end};
  return file;
}
