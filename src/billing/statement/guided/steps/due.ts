// The due date step: reads a day in words and shows the full date. A past or distant day needs a second Enter.

import {relativeDay, longDay, manilaDay} from '../../../../common/manila.js';
import {dateText, readTypedDate} from '../../../../input/dates.js';
import {InvalidInput} from '../../../../input/invalid-input.js';
import {askUntilRead, errorNote, warningNote, type Guide} from '../guide.js';
import {formatLongDue, statementSummary} from './summary.js';

const USUAL_DUE = '+14d';
/** Days; a later due date is probably a mistake. */
const MAX_USUAL_DAYS = 180;

/** @returns false if the user went back */
export async function askDue(guide: Guide): Promise<boolean> {
  const {dueAt, now} = guide;
  const [usual, alone] =
    dueAt === undefined ? [USUAL_DUE, `Enter alone ${USUAL_DUE}`] : [dateText(dueAt), 'Enter alone keeps it'];
  const question = {
    ask: 'Due:',
    intro: [`When is payment due? Dec 15, next friday, net 30, end of month. ${alone}.`],
    summary: statementSummary(guide, 'due'),
    keys: `Dec 15, next friday, net 30, end of month · ${alone} · Esc back`,
    preview: (text: string): string | undefined => {
      const read = readTypedDate(text.trim() || usual, now);
      return read instanceof InvalidInput
        ? undefined
        : `${formatLongDue(read.at, now)}${read.note ? `, ${read.note}` : ''}`;
    },
  };
  const read = await askUntilRead<number>(guide, 'due', question, (typed, isConfirmed) => {
    const date = readTypedDate(typed.trim() || usual, now);
    if (date instanceof InvalidInput) return {note: errorNote(date.problem)};
    const fault = dueWarning(date.at, now);
    if (fault && !isConfirmed) return {note: warningNote(`${fault} Press Enter again to use it anyway.`)};
    guide.asker.say(`Due: ${formatLongDue(date.at, now)}${date.note ? ` (${date.note})` : ''}`);
    return {value: date.at};
  });
  if (read) guide.dueAt = read.value;
  return read !== undefined;
}

function dueWarning(at: number, now: number): string | undefined {
  const days = manilaDay(at) - manilaDay(now);
  if (at < now) return `${longDay(at)} was ${relativeDay(at, now)}: the statement would already be overdue.`;
  return days > MAX_USUAL_DAYS ? `${longDay(at)} is ${days} days away.` : undefined;
}
