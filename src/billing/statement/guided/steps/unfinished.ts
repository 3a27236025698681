// Offers unfinished statements when the flow starts.

import {relativeDay} from '../../../../common/manila.js';
import type {UnfinishedStatement} from '../../unfinished-store.js';
import {formatPesos} from '../../../../common/pesos.js';
import {totalAsNumber} from '../../../../input/items.js';
import {formatTime} from '../../../../output/format.js';
import type {LetterChoice} from '../../../../output/prompt/asker.js';
import type {Guide, GuidedStep} from '../guide.js';
import {formatItemCount} from './summary.js';

const MAX_OFFERED = 3;
const KEYS = '↑↓ or letter, then Enter · Ctrl-C quit';

const payerNameOf = ({payer, name}: UnfinishedStatement): string => payer?.name || name || 'an unnamed customer';

/** Asks which unfinished statement to continue, until there is none or the user starts a new one. */
export async function askUnfinished(guide: Guide): Promise<void> {
  for (let found = guide.unfinished(); found.length > 0; found = guide.unfinished()) {
    guide.step = 'unfinished';
    const shown = found.slice(0, MAX_OFFERED);
    const ones = (verb: string): LetterChoice[] =>
      shown.map((each, index) => ({
        key: String(index + 1),
        name: `${verb} the statement for ${payerNameOf(each)}`,
        effect: describeFound(each, guide.now),
      }));
    const key = await guide.choose({
      ask: found.length > 1 ? 'You have unfinished statements.' : 'You have an unfinished statement.',
      askPlainly: 'Number or letter:',
      choices: [
        ...ones('Continue'),
        {key: 'n', name: 'Start a new statement'},
        {key: 't', name: shown.length > 1 ? 'Delete one of them' : 'Delete it'},
      ],
      mark: '1',
      keys: KEYS,
    });
    const chosen = shown[Number(key) - 1];
    if (chosen) return continueUnfinished(guide, chosen);
    if (key === 'n') break;
    const isOne = key === 't' && shown.length === 1;
    const which =
      key === 't' && !isOne
        ? await guide.choose({ask: 'Which one?', choices: ones('Delete'), keys: `Esc back · ${KEYS}`})
        : undefined;
    const unwanted = isOne ? shown[0] : shown[Number(which) - 1];
    if (unwanted) guide.forget(unwanted.file);
  }
  guide.step = 'customer';
}

/** `Reyes Hardware · 3 items, ₱59,100.00 · "Tie wi" half typed · today 14:05` */
function describeFound(found: UnfinishedStatement, now: number): string {
  const {items, typing, at, made} = found;
  return [
    payerNameOf(found),
    items.length > 0 ? `${formatItemCount(items.length)}, ${formatPesos(totalAsNumber(items))}` : 'no items',
    ...(made.sendInDoubt ? ['the email may have been sent'] : made.statementId ? ['partly created'] : []),
    ...(typing === '' ? [] : [`"${typing}" half typed`]),
    // The clock was set back since.
    ...(at > now ? [] : [`${relativeDay(at, now)} ${formatTime(at).slice(-5)}`]),
  ].join(' · ');
}

/** Continues a saved statement where the user left it, or at the review if a run was started. */
function continueUnfinished(guide: Guide, found: UnfinishedStatement): void {
  const {payer, items, dueAt, typing, made} = found;
  guide.continueFrom(found);
  guide.step = 'review';
  if (made.sendInDoubt)
    guide.note = {tone: 'warning', text: 'The email may have been sent. It is not sent again from here.'};
  else if (made.opened) guide.note = {tone: 'info', text: 'The statement is open already. It was not sent.'};
  else if (made.attempted) {
    const text = 'centavo stopped while it created this statement. Nothing is created or sent twice.';
    guide.note = {tone: 'info', text};
  } else {
    guide.step = stepOfFound(found);
    guide.returns = guide.step !== 'review' && payer !== undefined && items.length > 0 && dueAt !== undefined;
    if (typing !== '' && !found.halfTyped) guide.halfTyped[guide.step] = typing;
  }
}

/** Returns the step at which the user left the statement, or an earlier step without an answer. */
function stepOfFound({step, payer, name, items, dueAt}: UnfinishedStatement): GuidedStep {
  if (step === 'customer' || step === 'name') return step;
  if (step === 'email') return name === undefined ? 'name' : 'email';
  if (payer === undefined || payer.email === '') return 'customer';
  if (step === 'items' || items.length === 0) return 'items';
  if (step === 'due' || dueAt === undefined) return 'due';
  return step === 'description' ? step : 'review';
}
