// The interactive view of `webhooks listen`: turns records into items of the list, and carries out what keys ask for.

import type {Forwarder} from '../../webhooks/forward/forwarder.js';
import type {ListenRecord} from '../../webhooks/listen/listen-record.js';
import type {Delivery, ForwardAttempt} from '../../webhooks/receive/delivery.js';
import {clean} from '../format.js';
import type {Io} from '../io.js';
import {openScreen, type Screen, type ScreenOptions} from '../screen.js';
import {detailLines} from './delivery-details.js';
import {addItem, EMPTY_VIEW, MOST_ITEMS, pressKey, renderView, type EventItem, type ViewState} from './event-list.js';
import {deliveryLine, itemLine, readyLines, recordLine, wasTaken, type ExplainReason} from './listen-lines.js';
import {loadPen, type Pen} from './pen.js';

export interface EventScreenOptions {
  readonly io: Io;
  readonly terminal: Pick<ScreenOptions, 'atExit' | 'input' | 'output'>;
  /** Does what Ctrl-C does: a screen gets it as a key. */
  readonly interrupt: () => void;
  readonly explain: ExplainReason;
  /** Attempts that are stored, those of earlier runs included. */
  readonly attempts: (deliveryId: string) => readonly ForwardAttempt[];
  readonly targets: readonly URL[];
  readonly quit: () => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

export class EventScreen {
  readonly #options: EventScreenOptions;
  readonly #pen: Pen;
  /** The secret, when --print-secret asks for it. */
  readonly #showing: string[];
  readonly #deliveries = new Map<string, Delivery>();
  /** Attempts of this run, by delivery. */
  readonly #attempts = new Map<string, ForwardAttempt[]>();
  #state: ViewState = EMPTY_VIEW;
  #ready: Extract<ListenRecord, {type: 'ready'}> | undefined;
  #title: readonly string[] = ['Starting…'];
  #forwarder: Forwarder | undefined;
  #screen: Screen | undefined;

  static async create(options: EventScreenOptions): Promise<EventScreen> {
    const {io} = options;
    const showing: string[] = [];
    return new EventScreen(options, await loadPen(io.paint, (line) => io.redact(line, {showing})), showing);
  }

  private constructor(options: EventScreenOptions, pen: Pen, showing: string[]) {
    this.#options = options;
    this.#pen = pen;
    this.#showing = showing;
  }

  /** Takes over the terminal. @param forwarder makes replays */
  open(forwarder: Forwarder): void {
    this.#forwarder = forwarder;
    this.#screen = openScreen({
      ...this.#options.terminal,
      onKey: (key) => this.#press(key),
      onResize: () => this.#draw(),
    });
    this.#draw();
  }

  close(): void {
    this.#screen?.close();
  }

  show(record: ListenRecord): void {
    if (record.type === 'ready') this.#setTitle(record);
    if (record.type === 'reconnected' && this.#ready) this.#setTitle({...this.#ready, ...record, type: 'ready'});
    if (record.type === 'delivery') this.#keep(record.delivery);
    if (record.type === 'forward') this.#attempted(record.attempt);
    const delivery = this.#deliveries.get(subjectOf(record) ?? '');
    if (delivery) this.#state = addItem(this.#state, this.#itemOf(delivery));
    // The notice that nothing can be stored must not be hidden by each delivery that was refused because of it.
    else if (record.type !== 'refused' || record.reason !== 'not_stored') {
      const line = recordLine(record, this.#options.now(), this.#options.explain);
      if (line) this.#notice(line.text);
    }
    if (delivery && this.#state.openId === delivery.id) this.#showDetails(delivery.id);
    this.#draw();
  }

  /** URL and secret may change while listening. */
  #setTitle(ready: Extract<ListenRecord, {type: 'ready'}>): void {
    this.#ready = ready;
    if (ready.secret) this.#showing.push(ready.secret);
    this.#title = readyLines(ready).map(clean);
  }

  #notice(notice: string): void {
    this.#state = {...this.#state, notice};
  }

  #attempted(attempt: ForwardAttempt): void {
    const {deliveryId} = attempt;
    if (this.#deliveries.has(deliveryId))
      this.#attempts.set(deliveryId, [...(this.#attempts.get(deliveryId) ?? []), attempt]);
  }

  /** An attempt is reported before it is stored, so both are looked at. */
  #attemptsOf(id: string): ForwardAttempt[] {
    const stored = this.#options.attempts(id);
    const isStored = ({target, attempt}: ForwardAttempt): boolean =>
      stored.some((one) => one.target === target && one.attempt === attempt);
    return [...stored, ...(this.#attempts.get(id) ?? []).filter((attempt) => !isStored(attempt))];
  }

  /** Keeps as many as the list shows. The store has them all. */
  #keep(delivery: Delivery): void {
    this.#deliveries.set(delivery.id, delivery);
    const oldest = this.#deliveries.keys().next().value!;
    if (this.#deliveries.size <= MOST_ITEMS) return;
    this.#deliveries.delete(oldest);
    this.#attempts.delete(oldest);
  }

  #itemOf(delivery: Delivery): EventItem {
    const attempt = this.#attempts.get(delivery.id)?.at(-1);
    const failed = attempt && !wasTaken(attempt);
    return {
      id: delivery.id,
      line: itemLine(delivery, attempt),
      words: `${deliveryLine(delivery)} ${attempt?.status ?? attempt?.error ?? ''}`,
      ...(!delivery.verdict.genuine ? {style: 'red'} : failed ? {style: 'yellow'} : {}),
    };
  }

  #press(key: string): void {
    const {state, wish} = pressKey(this.#state, key, this.#height());
    this.#state = state;
    if (wish?.kind === 'quit') this.#options.quit();
    if (wish?.kind === 'interrupt') this.#options.interrupt();
    if (wish?.kind === 'details') this.#showDetails(wish.id);
    if (wish?.kind === 'replay') void this.#replay(wish.id);
    this.#draw();
  }

  #showDetails(id: string): void {
    const {explain, io, now} = this.#options;
    const delivery = this.#deliveries.get(id);
    const surroundings = {explain, io, now: Math.floor(now() / 1000)};
    const details = delivery ? detailLines(delivery, this.#attemptsOf(id), this.#before(delivery), surroundings) : [];
    this.#state = {...this.#state, details};
  }

  /** The previous event about the same object. */
  #before(delivery: Delivery): Delivery | undefined {
    const all = [...this.#deliveries.values()];
    return all
      .slice(0, all.indexOf(delivery))
      .findLast(({event}) => event.objectId !== undefined && event.objectId === delivery.event.objectId);
  }

  async #replay(id: string): Promise<void> {
    const {targets} = this.#options;
    const delivery = this.#deliveries.get(id);
    if (!delivery) return;
    if (targets.length === 0) this.#notice('There is nowhere to replay to: listen with --forward-to.');
    else if (!delivery.verdict.genuine) this.#notice('What is not genuine is not forwarded.');
    else await Promise.all(targets.map((target) => this.#forwarder!.replay(delivery, target)));
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

/** The id of the delivery that a record is about. */
function subjectOf(record: ListenRecord): string | undefined {
  if (record.type === 'delivery') return record.delivery.id;
  return record.type === 'forward' ? record.attempt.deliveryId : undefined;
}
