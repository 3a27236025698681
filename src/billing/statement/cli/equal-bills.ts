// Refuses an equal bill of the last 20 hours, or one of unknown outcome, and warns of an older open one. At a terminal, asks.

import {isPayable} from '../../../accounting/standing.js';
import {STATE_WORDS} from '../../../accounting/words.js';
import {billedAt, dueTimeOf, statementCustomerOf} from '../../../api/statement.js';
import {accountArgs} from '../../../cli/next-steps.js';
import {standingsOf} from '../../../cli/presentation/standings.js';
import type {Context} from '../../../context/context.js';
import {CentavoError, type EarlierChange, messageAndReason, nextCommand} from '../../../common/errors.js';
import {DAY, shortDay} from '../../../common/manila.js';
import {withConfirmation, type PlannedChange} from '../../../guard/change.js';
import {safeDisplayName} from '../../../guard/describe-change.js';
import {guardBeforeReading, type GuardFlags} from '../../../guard/guard.js';
import {guardRepeats, momentText, REPEAT_WINDOW} from '../../../guard/repeats.js';
import type {BillingStatementData} from '../plan.js';
import type {WantedStatement} from './compose-statement.js';
import {continueCommand} from './explain-stop.js';

/** Seconds. An older statement with the same items is last month's: repeating it is intended. */
const RECENT = 20 * DAY;
/** Pages to read, or more if they are all within the window of repeats. */
const MOST_PAGES = 3;

interface EqualBill extends EarlierChange {
  /** The key of the plan that made it, if any. */
  readonly attempt?: string;
  /** `JEEPNEY-0002 of 12 Nov bills the same items and is open` */
  readonly words: string;
  /** False if it has another due date, or is older than the window. */
  readonly isRepeat: boolean;
}

/** Reads nothing for a draft, which requests no payment. Before it reads, refuses what the guard would refuse later. */
export async function guardEqualBills(
  context: Context,
  flags: GuardFlags,
  change: PlannedChange,
  wanted: WantedStatement,
): Promise<PlannedChange> {
  const {io} = context;
  const isBilling = wanted.finalize && wanted.id === undefined && wanted.newCustomer === undefined;
  if (!isBilling || flags['allow-duplicate']) return change;
  await guardBeforeReading(context, flags, change.known);
  const warn = (text: string): void => io.note(`Warning: ${text}`, {style: 'yellow', warns: true});
  const history = await context.history();
  const customer = wanted.create!.customer_id;
  const look = () => history.bills(customer, wanted.total).map((bill) => ({...bill, is_certain: false, ids: []}));
  // Another command that begins during the reads shows in neither the account nor this list.
  const seen = look();
  const bills = await equalBills(context, wanted).catch((error: unknown) => {
    if (!(error instanceof CentavoError) || error.kind === 'interrupted') throw error;
    warn(`centavo could not check whether the same items are already billed: ${messageAndReason(error)}`);
    return [];
  });
  const now = await context.accountNow();
  const [repeats, [other]] = [bills.filter(({isRepeat}) => isRepeat), bills];
  const account = accountArgs(context);
  const guarded = await guardRepeats(context, flags, change, {
    code: 'billed_before',
    ...{look, seen, found: repeats},
    words: (bill) =>
      repeats.find(({ids: [id]}) => id === bill.ids[0])?.words ??
      `another command began to bill the same amount to this customer ${momentText(bill.at, now)}`,
    check: ({ids: [id]}) => ({
      next: [
        id === undefined
          ? nextCommand('Check', 'billing-statements list --customer', customer, account)
          : nextCommand('Continue it', continueCommand(wanted, {statementId: id}), account),
      ],
    }),
  });
  if (repeats.length > 0 || !other) return guarded;
  if (io.canConfirm && !flags.yes) return withConfirmation(guarded, `, although ${other.words}`);
  warn(`${other.words}.`);
  return guarded;
}

/** Returns the customer's bills with the same items: those of the window, of unknown outcome, or open. Newest first. */
async function equalBills(context: Context, wanted: WantedStatement): Promise<EqualBill[]> {
  const history = await context.history();
  const {itemsOf, planKeyOf} = await context.billing();
  const recent = await recentStatements(context, wanted);
  const now = await context.accountNow();
  const standings = await standingsOf(context, recent);
  const own = context.keyed()?.current?.plan_key;
  const isOwn = (statement: BillingStatementData) => own !== undefined && planKeyOf(statement) === own;
  // What an earlier attempt under this key finalized is only sent.
  if (recent.some((each) => isOwn(each) && standings.get(each.id)!.state !== 'draft')) return [];
  const found = recent.filter((each) => !isOwn(each));
  const bills = found.flatMap((statement): EqualBill[] => {
    const standing = standings.get(statement.id)!;
    const {id, name, state} = standing;
    const isDraft = state === 'draft';
    // A draft may lack items of its bill, also of one that another command makes just now, so its amount decides.
    const isUnknown = (isDraft || isPayable(standing)) && history.isUnknown(id, isDraft ? wanted.total : undefined);
    if (isDraft ? !isUnknown : itemsOf(statement).length < wanted.items.length) return [];
    const [at, due] = [billedAt(statement) ?? now, dueTimeOf(statement)];
    const isDueAlike = wanted.dueAt === undefined || due === wanted.dueAt || (isDraft && due === undefined);
    const isRepeat = isDueAlike && (isUnknown || at > now - REPEAT_WINDOW);
    const isOpen = isPayable(standing) && at > now - RECENT;
    if (['deleted', 'replaced', 'void'].includes(state) || !(isRepeat || isOpen)) return [];
    const is = isUnknown
      ? `may have been ${isDraft ? 'finalized' : 'sent'}`
      : STATE_WORDS[state].sentence(standing, now);
    const words = `${safeDisplayName(name)} of ${shortDay(at, now)} ${isDraft ? 'has' : 'bills'} the same items and ${is}`;
    return [{at, is_certain: !isUnknown, ids: [id], attempt: planKeyOf(statement), words, isRepeat}];
  });
  return bills.sort((one, other) => other.at - one.at);
}

/** Returns the customer's recent statements without other items. They may lack items, as a draft may. */
async function recentStatements(
  context: Context,
  {create, items, total}: WantedStatement,
): Promise<BillingStatementData[]> {
  const {differenceOf, findStatementById, getStatement, itemsOf, statementPages} = await context.billing();
  const client = await context.client();
  const isOfCustomer = (statement: BillingStatementData) => statementCustomerOf(statement).id === create!.customer_id;
  const found: BillingStatementData[] = [];
  const read = new Set<string>();
  let pages = 0;
  for await (const {data} of statementPages(client, context)) {
    const now = await context.accountNow();
    for (const listed of data) {
      if (listed.created_at < now - RECENT) continue;
      read.add(listed.id);
      if (!isOfCustomer(listed)) continue;
      // A list may omit the items and metadata.
      const isWhole = Array.isArray(listed.line_items) && listed.metadata !== undefined;
      found.push(isWhole ? listed : await getStatement(client, listed.id, context));
    }
    const oldest = data.at(-1)?.created_at ?? -Infinity;
    if (oldest < now - RECENT || (++pages >= MOST_PAGES && oldest < now - REPEAT_WINDOW)) break;
  }
  // The list is by the creation of drafts. Only the history says that one of before was finalized just now.
  const history = await context.history();
  const since = (await context.accountNow()) - REPEAT_WINDOW;
  const changed = total === undefined ? [] : history.changedStatements(total, since);
  for (const id of changed.filter((each) => !read.has(each))) {
    const statement = await findStatementById(client, id, context);
    if (statement && isOfCustomer(statement)) found.push(statement);
  }
  return found.filter((statement) => {
    const {surplus, foreign} = differenceOf(items, itemsOf(statement));
    return surplus.length + foreign.length === 0;
  });
}
