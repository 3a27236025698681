// The interactive view of `webhooks listen`: records become items, keys become wishes, and wishes are granted.

import type {Context} from '../../context.js';
import {clean} from '../../output/format.js';
import {
  addItem,
  EMPTY_VIEW,
  loadPen,
  MOST_ITEMS,
  pressKey,
  renderView,
  type Pen,
  type ViewState,
} from '../../output/event-view.js';
import {openScreen, type KeyInput, type Screen, type ScreenOutput} from '../../output/screen.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/delivery.js';
import type {Listening} from '../../webhooks/listener.js';
import type {ListenRecord} from '../../webhooks/records.js';
import {detailLines} from './details.js';
import type {Prepared} from './listen-options.js';
import {deliveryLine, itemLine, readyLines, recordLine} from './records.js';

export class EventScreen {
  readonly #context: Context;
  readonly #prepared: Prepared;
  readonly #quit: () => void;
  readonly #pen: Pen;
  /** The secret, when --print-secret asks for it. */
  readonly #showing: string[];
  readonly #deliveries = new Map<string, Delivery>();
  /** Of each delivery, in order. */
  readonly #attempts = new Map<string, ForwardAttempt[]>();
  #state: ViewState = EMPTY_VIEW;
  #ready: Extract<ListenRecord, {type: 'ready'}> | undefined;
  #title: readonly string[] = ['Starting…'];
  #listening: Listening | undefined;
  #screen: Screen | undefined;

  static async create(context: Context, prepared: Prepared, quit: () => void): Promise<EventScreen> {
    const {io} = context;
    const showing: string[] = [];
    const pen = await loadPen(io.paint, (line) => io.redact(line, {showing}));
    return new EventScreen(context, prepared, quit, pen, showing);
  }

  private constructor(context: Context, prepared: Prepared, quit: () => void, pen: Pen, showing: string[]) {
    this.#pen = pen;
    this.#showing = showing;
    this.#context = context;
    this.#prepared = prepared;
    this.#quit = quit;
  }

  open(listening: Listening): void {
    this.#listening = listening;
    const {stdin, stdout, atExit} = this.#context.host;
    this.#screen = openScreen({
      input: stdin as KeyInput,
      output: stdout as unknown as ScreenOutput,
      onKey: (key) => this.#press(key),
      onResize: () => this.#draw(),
      atExit,
    });
    this.#draw();
  }

  close(): void {
    this.#screen?.close();
  }

  show(record: ListenRecord): void {
    if (record.type === 'ready') this.#head(record);
    else if (record.type === 'delivery') this.#keep(record.delivery);
    else if (record.type === 'forward') this.#attempted(record.attempt);
    else if (record.type === 'reconnected' && this.#ready) this.#head({...this.#ready, ...record, type: 'ready'});
    const id =
      record.type === 'delivery'
        ? record.delivery.id
        : record.type === 'forward'
          ? record.attempt.deliveryId
          : undefined;
    const delivery = id === undefined ? undefined : this.#deliveries.get(id);
    if (delivery) this.#state = addItem(this.#state, this.#itemOf(delivery));
    // Why nothing can be stored was just said, and what is said of each that was not must not hide it.
    else if (record.type !== 'refused' || record.reason !== 'not_stored') {
      const line = recordLine(record, this.#context.nowMilliseconds(), this.#prepared.library.explainReason);
      if (line) this.#state = {...this.#state, notice: line.text};
    }
    const {openId} = this.#state;
    if (openId !== undefined && openId === id) this.#state = {...this.#state, details: this.#details(openId)};
    this.#draw();
  }

  /** URL and secret may change while it listens. */
  #head(ready: Extract<ListenRecord, {type: 'ready'}>): void {
    this.#ready = ready;
    if (ready.secret) this.#showing.push(ready.secret);
    this.#title = readyLines(ready).map(clean);
  }

  #attempted(attempt: ForwardAttempt): void {
    const {deliveryId} = attempt;
    if (this.#deliveries.has(deliveryId))
      this.#attempts.set(deliveryId, [...(this.#attempts.get(deliveryId) ?? []), attempt]);
  }

  /** The store has those of earlier runs too, but gets each only after it is told of. */
  #attemptsOf(id: string): ForwardAttempt[] {
    const stored = this.#prepared.store.attempts(id);
    const isStored = ({target, attempt}: ForwardAttempt): boolean =>
      stored.some((one) => one.target === target && one.attempt === attempt);
    return [...stored, ...(this.#attempts.get(id) ?? []).filter((attempt) => !isStored(attempt))];
  }

  /** As many as the list shows: the store has them all. */
  #keep(delivery: Delivery): void {
    this.#deliveries.set(delivery.id, delivery);
    const oldest = this.#deliveries.keys().next().value!;
    if (this.#deliveries.size <= MOST_ITEMS) return;
    this.#deliveries.delete(oldest);
    this.#attempts.delete(oldest);
  }

  #itemOf(delivery: Delivery) {
    const attempt = this.#attempts.get(delivery.id)?.at(-1);
    const failed = attempt && (attempt.status === undefined || attempt.status >= 300);
    return {
      id: delivery.id,
      line: itemLine(delivery, attempt),
      words: `${deliveryLine(delivery)} ${attempt?.status ?? attempt?.error ?? ''}`,
      ...(!delivery.verdict.genuine ? {style: 'red' as const} : failed ? {style: 'yellow' as const} : {}),
    };
  }

  #press(key: string): void {
    const {state, wish} = pressKey(this.#state, key, this.#height());
    this.#state = state;
    if (wish?.kind === 'quit') this.#quit();
    if (wish?.kind === 'interrupt') this.#context.host.interrupt();
    if (wish?.kind === 'details') this.#state = {...this.#state, details: this.#details(wish.id)};
    if (wish?.kind === 'replay') void this.#replay(wish.id);
    this.#draw();
  }

  #details(id: string): readonly string[] {
    const {library} = this.#prepared;
    const delivery = this.#deliveries.get(id);
    if (!delivery) return [];
    const surroundings = {library, now: this.#context.now(), io: this.#context.io};
    return detailLines(delivery, this.#attemptsOf(id), this.#before(delivery), surroundings);
  }

  /** The last event before this one that told of the same object. */
  #before(delivery: Delivery): Delivery | undefined {
    const all = [...this.#deliveries.values()];
    return all
      .slice(0, all.indexOf(delivery))
      .findLast(({event}) => event.objectId !== undefined && event.objectId === delivery.event.objectId);
  }

  async #replay(id: string): Promise<void> {
    const {targets} = this.#prepared;
    const delivery = this.#deliveries.get(id);
    if (!delivery) return;
    const forwarder = this.#listening?.forwarder;
    if (!forwarder || targets.length === 0)
      this.#state = {...this.#state, notice: 'There is nowhere to replay to: listen with --forward-to.'};
    else if (!delivery.verdict.genuine) this.#state = {...this.#state, notice: 'What is not genuine is not forwarded.'};
    else await Promise.all(targets.map((target) => forwarder.replay(delivery, target)));
    this.#draw();
  }

  #height(): number {
    return Math.max(1, (this.#screen?.size().height ?? 24) - this.#title.length - 2);
  }

  #draw(): void {
    if (!this.#screen) return;
    const {width, height} = this.#screen.size();
    this.#screen.draw(renderView(this.#state, this.#title, width, height, this.#pen));
  }
}
