// Chooses what runs a command: its idempotency key, the rules for agents, or nothing.

import type {Context} from '../../context/context.js';
import type {CommandClass, RunWithKey} from '../base.js';

/** Looks for an agent, and returns what runs the command instead of itself. */
export async function wrapperOf(
  {host, io}: Context,
  {agents}: CommandClass,
  argv: readonly string[],
): Promise<RunWithKey | undefined> {
  io.settings.agent = await host.findAgent?.();
  if (io.settings.agent && (agents === 'hands_over' || argv.includes('--reveal')))
    return (await import('./hand-over.js')).runForAgent;
  const isKeyed = argv.some((word) => /^--idempotency-key(=|$)/.test(word));
  return isKeyed ? (await import('./idempotency-key.js')).runWithKey : undefined;
}
