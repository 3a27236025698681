// Where the flow is shown: drawn in place on a terminal, or as plain lines one below the other.

import type {Context} from '../../../../../context.js';
import type {Event, State} from '../state.js';

export interface Heard {
  readonly onEvent: (event: Event) => void;
  readonly onLeave: () => void;
}

export interface FlowScreen {
  /** @param event what has just made the state so */
  readonly show: (state: State, event?: Event) => void;
  /** Takes the question away, so that lines can be written; the keyboard stays taken. */
  readonly pause: () => void;
  readonly close: () => void;
}

export type ScreenContext = Pick<Context, 'host' | 'io' | 'nowMilliseconds'>;

export type OpenScreen = (context: ScreenContext, heard: Heard) => Promise<FlowScreen>;
