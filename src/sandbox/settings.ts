// Settings in the sandbox's file, because several processes pay in it and send its events.

import type {SandboxSettings} from '../common/sandbox-settings.js';
import type {Sandbox} from './sandbox.js';

/** Changes the settings that are given. A reset and a snapshot keep them. @returns all that are set */
export const configure = (sandbox: Sandbox, {fees, eventShape}: SandboxSettings = {}): SandboxSettings =>
  sandbox.perform(({store}) => {
    if (fees) store.set('fees', fees);
    if (eventShape) store.set('event_shape', eventShape);
    return {fees: store.setting('fees'), eventShape: store.setting('event_shape')} as SandboxSettings;
  });
