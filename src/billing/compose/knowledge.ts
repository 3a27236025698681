// What a run knows about its statement: what is wanted, what the API answered to changes, and what was read last.

import {DAY} from '../../ground/manila.js';
import {
  amountOf,
  checkUsable,
  differenceOf,
  isUsable,
  itemsOf,
  type Statement,
  type StatementItem,
  type StatementPlan,
} from './plan.js';

export class Knowledge {
  /** The statement as last read, with the answers since then; undefined before the first read. */
  statement: Statement | undefined;
  /** The items of the plan, described as the service describes them. */
  wanted: readonly StatementItem[];
  /** Unix seconds. */
  dueAt: number | undefined;
  finalized = false;
  readonly #added: StatementItem[] = [];
  readonly #removed = new Set<string>();
  #dueIsSet = false;

  constructor({items, dueAt}: StatementPlan) {
    this.wanted = items;
    this.dueAt = dueAt;
  }

  /** Notes a read, and refuses one without status or items: they would seem to be missing from the statement. */
  read(answer: Statement): Statement {
    checkUsable(answer);
    return (this.statement = answer);
  }

  /** Notes the creation: whatever the answer leaves out, the statement is an empty draft. */
  created(answer: Statement): Statement {
    return (this.statement = {...answer, status: answer.status ?? 'draft', line_items: itemsOf(answer) as never});
  }

  /** Notes a new item, or what an item has become. The service may change a description, so the answer's description counts. */
  added(item: StatementItem, {id, description}: {readonly id: string; readonly description?: unknown}): void {
    const written = {...item, description: typeof description === 'string' ? description : item.description};
    this.wanted = this.wanted.map((each) => (each === item ? written : each));
    this.#added.push(written);
    const others = itemsOf(this.statement!).filter((each) => each.id !== id);
    const items = [...others, {...written, id}];
    this.statement = {...this.statement!, line_items: items as never, amount: Number(amountOf(items))};
  }

  removed(id: string): void {
    this.#removed.add(id);
  }

  /** Notes a new due time, which the service may round to the day. */
  updated(answer: Statement): void {
    this.#dueIsSet = true;
    const {due_at: due} = answer;
    if (typeof due === 'number' && Math.abs(due - this.dueAt!) < DAY) this.dueAt = due;
    this.#merge(answer);
  }

  /** Notes the finalizing. Returns the answer if it is complete enough to need no read. */
  opened(answer: Statement): Statement | undefined {
    this.finalized = true;
    this.#merge(answer);
    return isUsable(answer) ? answer : undefined;
  }

  #merge(answer: Statement): void {
    this.statement = {...this.statement, ...answer, line_items: this.statement!.line_items};
  }

  /** Whether a read shows all answered changes. If not, it is out of date, or somebody else has changed the statement. */
  isShownBy(statement: Statement): boolean {
    const items = itemsOf(statement);
    return (
      differenceOf(this.#added, items).missing.length === 0 &&
      !items.some(({id}) => this.#removed.has(id)) &&
      !(this.#dueIsSet && !this.isDue(statement)) &&
      !(this.finalized && statement.status === 'draft')
    );
  }

  isDue = ({due_at: due}: Statement): boolean => this.dueAt === undefined || due === this.dueAt;

  /** Whether it has the items, the amount and the due time that were asked for. */
  isWanted(statement: Statement): boolean {
    const {missing, surplus, foreign} = differenceOf(this.wanted, itemsOf(statement));
    const {amount} = statement;
    return (
      missing.length + surplus.length + foreign.length === 0 &&
      (amount === undefined || amount === null || BigInt(amount) === amountOf(this.wanted)) &&
      this.isDue(statement)
    );
  }

  get status(): string | undefined {
    if (this.statement?.deleted) return 'deleted';
    return this.finalized && this.statement?.status === 'draft' ? 'open' : this.statement?.status;
  }

  /** How many of the wanted items are known to be there. */
  get count(): number {
    if (!this.statement) return 0;
    return this.wanted.length - differenceOf(this.wanted, itemsOf(this.statement)).missing.length;
  }
}
