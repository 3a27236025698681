// The input and the result of each page of the studio.

import type {Html} from '../../common/markup.js';
import type {ListenerRecord} from '../../webhooks/store/listener-record.js';
import type {StoreReader} from '../store.js';

export interface StudioContext {
  readonly tx: StoreReader;
  /** The record of this machine's listeners; undefined if none has run. */
  readonly listeners: ListenerRecord | undefined;
  /** Seconds that the sandbox's clock is ahead. */
  readonly ahead: number;
  readonly path: string;
  /** A sentence for each aimed failure. */
  readonly aimed: () => readonly string[];
  readonly home: string;
  /** Path prefix of all pages except the home page. */
  readonly base: string;
  /** True if the address has the secret. */
  readonly hasButtons: boolean;
  readonly currentUrl: string;
  readonly query: URLSearchParams;
  /** Position where the previous page of a list ended. */
  readonly before?: number;
  readonly message?: Message;
}

export interface Message {
  readonly text: string;
  readonly failed?: boolean;
}

export interface StudioView {
  readonly status?: number;
  readonly title: string;
  readonly section?: string;
  readonly main: Html;
}
