// The interactive view of `webhooks listen`: shows records as a list of events, and handles keys.

import type {Context} from '../../../context/context.js';
import {oneLineText, wrapText} from '../../../output/format.js';
import type {OutputStreams} from '../../../output/streams.js';
import type {Forwarder} from '../../../webhooks/forward/forwarder.js';
import type {HeldEvent} from '../../../webhooks/forward/target-queue.js';
import type {ListenRecord} from '../../../webhooks/listen/listen-record.js';
import type {Delivery, ForwardAttempt} from '../../../webhooks/receive/delivery.js';
import type {DeliveryStore} from '../../../webhooks/store/deliveries.js';
import {previousDelivery} from '../shared/deliveries.js';
import {detailLines} from '../shared/delivery-details.js';
import {
  deliveryLine,
  itemLine,
  readyLines,
  recordLine,
  formatRefusal,
  wasAccepted,
  type ExplainReason,
} from '../shared/delivery-lines.js';
import {
  addItem,
  EMPTY_VIEW,
  loadLinePainter,
  MAX_LISTED_EVENTS,
  pressKey,
  renderView,
  type EventItem,
  type LinePainter,
  type ViewState,
} from './event-list.js';
import {openScreen, type Screen, type ScreenOptions} from './screen.js';

export interface EventScreenOptions {
  readonly io: OutputStreams;
  readonly terminal: Pick<ScreenOptions, 'atExit' | 'input' | 'output'>;
  /** Called on Ctrl-C, which arrives as a key here. */
  readonly interrupt: () => void;
  readonly explain: ExplainReason;
  readonly store: DeliveryStore;
  readonly isAlive: Context['isAlive'];
  readonly targets: readonly URL[];
  readonly quit: () => void;
  readonly now: () => number;
}

export class EventScreen {
  readonly #options: EventScreenOptions;
  readonly #painter: LinePainter;
  readonly #showing: string[];
  /** Listed deliveries by id, with the attempts of this run. */
  readonly #received = new Map<string, ReceivedEvent>();
  #state: ViewState = EMPTY_VIEW;
  #ready: Extract<ListenRecord, {type: 'ready'}> | undefined;
  #title: readonly string[] = ['Starting…'];
  /** Id of the delivery whose refusal is shown as the notice. */
  #refused: string | undefined;
  #forwarder: Forwarder | undefined;
  #screen: Screen | undefined;

  static async create(options: EventScreenOptions): Promise<EventScreen> {
    const {io} = options;
    const showing: string[] = [];
    return new EventScreen(options, await loadLinePainter(io.paint, (line) => io.redact(line, {showing})), showing);
  }

  private constructor(options: EventScreenOptions, painter: LinePainter, showing: string[]) {
    this.#options = options;
    this.#painter = painter;
    this.#showing = showing;
  }

  /** Opens the full-screen view. @param forwarder sends replays */
  open(forwarder: Forwarder): void {
    this.#forwarder = forwarder;
    this.#screen = openScreen({
      ...this.#options.terminal,
      // Do not run pasted text as key commands.
      onKey: (key, isPasted) => (!isPasted || this.#state.mode === 'filter') && this.#press(key),
      onResize: () => this.#draw(),
    });
    this.#draw();
  }

  close(): void {
    this.#screen?.close();
    this.#screen = undefined;
  }

  show(record: ListenRecord): void {
    if (record.type === 'ready') this.#setTitle(record);
    if (record.type === 'reconnected' && this.#ready) this.#setTitle({...this.#ready, ...record, type: 'ready'});
    const received = this.#receivedOf(record);
    if (received) this.#state = addItem(this.#state, eventItemOf(received));
    if (record.type === 'forward') this.#noteRefusal(record);
    // Deliveries that could not be stored must not hide the notice that says so.
    else if (!received && (record.type !== 'refused' || record.reason !== 'not_stored')) {
      const line = recordLine(record, this.#options.now(), this.#options.explain);
      if (line) this.#notice(line.text);
    }
    const {openId} = this.#state;
    if (openId !== undefined && openId === received?.delivery.id) this.#showDetails(openId);
    this.#draw();
  }

  /** Sets the title. Called again after a reconnect, which may change the URL and secret. */
  #setTitle(ready: Extract<ListenRecord, {type: 'ready'}>): void {
    this.#ready = ready;
    if (ready.secret) this.#showing.push(ready.secret);
    this.#title = readyLines(ready).map(oneLineText);
  }

  /** Shows a refusal until the app accepts the event or another notice replaces it. */
  #noteRefusal({attempt, event}: Extract<ListenRecord, {type: 'forward'}>): void {
    const {deliveryId} = attempt;
    if (wasAccepted(attempt)) {
      if (this.#refused === deliveryId) this.#notice('');
      return;
    }
    this.#notice(`${event.type ?? deliveryId}: ${formatRefusal(attempt)}`);
    this.#refused = deliveryId;
  }

  #notice(notice: string): void {
    this.#refused = undefined;
    this.#state = {...this.#state, notice};
  }

  /** Returns the delivery of a record, with the attempt or hold that the record adds. */
  #receivedOf(record: ListenRecord): ReceivedEvent | undefined {
    if (record.type === 'forward') {
      const received = this.#received.get(record.attempt.deliveryId);
      received?.attempts.push(record.attempt);
      if (received) received.held = undefined;
      return received;
    }
    if (record.type === 'held') {
      const received = this.#received.get(record.held.deliveryId);
      if (received) received.held = record.held;
      return received;
    }
    if (record.type !== 'delivery') return undefined;
    const received: ReceivedEvent = {delivery: record.delivery, unrouted: record.unrouted, attempts: []};
    this.#received.set(record.delivery.id, received);
    if (this.#received.size > MAX_LISTED_EVENTS) this.#received.delete(this.#received.keys().next().value!);
    return received;
  }

  #press(key: string): void {
    const {state, request} = pressKey(this.#state, key, this.#height());
    this.#state = state;
    if (request?.kind === 'quit') this.#options.quit();
    if (request?.kind === 'interrupt') this.#options.interrupt();
    if (request?.kind === 'details') this.#showDetails(request.id);
    if (request?.kind === 'replay') void this.#replay(request.id);
    this.#draw();
  }

  #showDetails(id: string): void {
    const {explain, io, now, store, isAlive} = this.#options;
    const received = this.#received.get(id);
    if (!received) return;
    const {delivery, attempts} = received;
    const stored = store.forwards.attempts(delivery.id);
    const isStored = ({target, attempt}: ForwardAttempt): boolean =>
      stored.some((one) => one.target === target && one.attempt === attempt);
    const known = {
      // The last attempt may not be stored yet.
      attempts: [...stored, ...attempts.filter((attempt) => !isStored(attempt))],
      waiting: store.forwards.waitingFor(delivery, isAlive, now()),
      previous: previousDelivery(store, delivery),
    };
    const lines = detailLines(delivery, known, {explain, io, now: Math.floor(now() / 1000)});
    const {width} = this.#size();
    const details = lines.flatMap((line) => wrapText(line, width, 0, line.search(/\S|$/) + 2));
    this.#state = {...this.#state, details};
  }

  async #replay(id: string): Promise<void> {
    const {targets} = this.#options;
    const delivery = this.#received.get(id)?.delivery;
    if (!delivery) return;
    if (targets.length === 0) this.#notice('To replay events, start webhooks listen with --forward-to.');
    else if (!delivery.verdict.genuine) this.#notice('Deliveries that are not genuine are not forwarded.');
    else await Promise.all(targets.map((target) => this.#forwarder!.replay(delivery, target)));
    this.#draw();
  }

  #size(): {width: number; height: number} {
    return this.#screen?.size() ?? {width: 80, height: 24};
  }

  #height(): number {
    const {width, height} = this.#size();
    return Math.max(1, height - this.#titleLines(width).length - 2);
  }

  #titleLines(width: number): string[] {
    return this.#title.flatMap((line) => wrapText(line, width));
  }

  #draw(): void {
    if (!this.#screen) return;
    const {width, height} = this.#screen.size();
    this.#screen.draw(renderView(this.#state, this.#titleLines(width), width, height, this.#painter));
  }
}

interface ReceivedEvent {
  readonly delivery: Delivery;
  readonly unrouted?: boolean;
  readonly attempts: ForwardAttempt[];
  held?: HeldEvent;
}

function eventItemOf({delivery, unrouted, attempts, held}: ReceivedEvent): EventItem {
  const attempt = attempts.at(-1);
  const failed = attempt && !wasAccepted(attempt);
  return {
    id: delivery.id,
    line: itemLine(delivery, {attempt, held, unrouted}),
    searchText: `${deliveryLine(delivery)} ${attempt?.status ?? attempt?.error ?? ''}`,
    ...(!delivery.verdict.genuine ? {style: 'red'} : failed || held || unrouted ? {style: 'yellow'} : {}),
  };
}
