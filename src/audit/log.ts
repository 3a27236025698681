// The file of the audit: one line of JSON for each beginning and each end.

import type {CentavoError} from '../errors.js';
import {append} from '../storage/append.js';
import type {Audit, AuditedEnd, AuditRecord} from './audit.js';
import {begunLine, endedLine, readEntries, stepLine, type Begun, type Ended, type Stepped} from './entries.js';
import {readLines} from './lines.js';
import {localFault} from '../thrown.js';

export interface AuditOptions {
  /** Unix seconds. */
  readonly now: () => number;
  /** Names one write, so that its end finds its beginning. */
  readonly token: () => string;
}

interface Unended {
  readonly id: string;
  readonly touched: Set<string>;
  unchanged: boolean;
}

const endOf = ({unchanged}: Unended, outcome: AuditedEnd): AuditedEnd =>
  unchanged && outcome.applied === 'yes' ? {...outcome, applied: 'no'} : outcome;

/** @param path the file; made, with its folder, at the first write */
export function openAudit(path: string, {now, token}: AuditOptions): Audit {
  let unended: Unended[] = [];
  return {
    path,
    begin: (write) => {
      const id = token();
      try {
        append(path, begunLine(id, now(), write));
      } catch (error) {
        throw notRecorded('nothing was sent: the change', path, error);
      }
      unended.push({id, touched: new Set(), unchanged: false});
    },
    step: (name, ids) => {
      const last = unended.at(-1);
      if (!last) return;
      for (const id of ids) last.touched.add(id);
      try {
        append(path, stepLine(last.id, now(), name, ids));
      } catch (error) {
        throw notRecorded('the next step', path, error);
      }
    },
    get open() {
      if (unended.length === 0) return 'none';
      return unended.every(({unchanged}) => unchanged) ? 'unchanged' : 'changing';
    },
    touched: (id) => void unended.at(-1)?.touched.add(id),
    unchanged: () => {
      const last = unended.at(-1);
      if (last) last.unchanged = true;
    },
    end: (outcome) => {
      const ending = unended;
      unended = [];
      if (ending.length === 0) return true;
      try {
        append(path, ending.map((each) => endedLine(each.id, now(), endOf(each, outcome), [...each.touched])).join(''));
        return true;
      } catch {
        return false;
      }
    },
    records: (tellUnreadable) => read(tellUnreadable),
    others: () => read(undefined, new Set(unended.map(({id}) => id))),
  };

  function read(tellUnreadable?: (lines: number) => void, except?: ReadonlySet<string>): AuditRecord[] {
    try {
      const {records, unreadable} = readRecords(path, except);
      if (unreadable > 0) tellUnreadable?.(unreadable);
      return records;
    } catch (error) {
      throw localFault(`the history ${path} cannot be read.`, error, {applied: undefined});
    }
  }
}

const notRecorded = (what: string, path: string, cause: unknown): CentavoError =>
  localFault(`${what} could not be recorded in ${path}.`, cause, {
    code: 'not_recorded',
    hint: 'What is changed is recorded first. CENTAVO_DATA_DIR can name another folder for it.',
  });

/** @param except writes that are left out */
function readRecords(
  path: string,
  except: ReadonlySet<string> = new Set(),
): {records: AuditRecord[]; unreadable: number} {
  const begun = new Map<string, Begun>();
  const ended = new Map<string, Ended>();
  const steps = new Map<string, Stepped>();
  let unreadable = 0;
  for (const line of readLines(path)) {
    for (const entry of readEntries(line)) {
      if (entry === undefined) unreadable++;
      else if (entry.type === 'ended') ended.set(entry.id, entry);
      else if (entry.type === 'step')
        steps.set(entry.id, {...entry, ids: [...(steps.get(entry.id)?.ids ?? []), ...entry.ids]});
      // What was cut short and written anew may be there twice; it began where it stands first.
      else if (!begun.has(entry.id)) begun.set(entry.id, entry);
    }
  }
  return {
    records: [...begun.values()]
      .filter(({id}) => !except.has(id))
      .map((each) => recordOf(each, ended.get(each.id), steps.get(each.id))),
    unreadable,
  };
}

const recordOf = (
  {at, profile, mode, command, ids, amount}: Begun,
  end: Ended | undefined,
  step: Stepped | undefined,
): AuditRecord => ({
  at,
  profile,
  mode,
  command,
  ids: [...new Set([...ids, ...(step?.ids ?? []), ...(end?.ids ?? [])])],
  amount,
  result: end?.result ?? 'unfinished',
  exit_code: end?.exitCode ?? null,
  applied: end?.applied ?? null,
  step: step?.step ?? null,
  step_at: step?.at ?? null,
  ended_at: end?.at ?? null,
});
