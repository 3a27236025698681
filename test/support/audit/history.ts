// An audit whose clock and names are the test's, and what is written into it.

import {join} from 'node:path';
import {Audit, type AuditedEnd, type AuditedWrite, type AuditRecord} from '../../../src/audit/audit.js';

export const BEGINNING = 1_800_000_000;
export const OK: AuditedEnd = {result: 'ok', exitCode: 0, applied: 'yes'};

export const FINALIZING: AuditedWrite = {
  profile: 'shop',
  mode: 'live',
  command: 'billing-statements finalize',
  ids: ['bstm_7Hq2'],
  amount: 125_050,
};

/** The file in this folder; a second later with each line, and named w1, w2 and so on. */
export function auditIn(directory: string, {first = 1} = {}): Audit {
  let [clock, names] = [BEGINNING, first];
  return new Audit(join(directory, 'history.db'), {now: () => clock++, token: () => `w${names++}`});
}

/** Records a write from its beginning to its end. */
export function recordOne(audit: Audit, write: Partial<AuditedWrite> = {}, outcome: Partial<AuditedEnd> = {}): void {
  audit.begin({...FINALIZING, ...write});
  audit.end({...OK, ...outcome});
}

/** All records, oldest first. */
export const recordsIn = (audit: Audit): AuditRecord[] => [...audit.pages()].flat().reverse();
