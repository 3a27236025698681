// Chooses what runs a command: its idempotency key, the rules for agents, or nothing.

import type {Context} from '../../context/context.js';
import type {CommandClass, RunWithKey} from '../base.js';

/** Looks for an agent, and returns what runs the command instead of itself. */
export async function wrapperOf(
  {flags, host, io}: Context,
  {id, agents, exits}: CommandClass,
  argv: readonly string[],
): Promise<RunWithKey | undefined> {
  const agent = (io.settings.agent = await host.findAgent?.());
  // oclif reads `--reveal=wh_1` as the flag and an argument.
  const reveals = argv.some((word) => word.startsWith('--reveal'));
  const callsAccount = exits.includes('auth');
  if (agent)
    flags.handOver = async ({action}) => {
      throw (await import('./hand-over.js')).changeRefused(agent, action);
    };
  if (agent && (agents === 'hands_over' || (reveals && callsAccount)))
    return (await import('./hand-over.js')).runForAgent;
  // Stored deliveries may be a live account's, whatever the profile.
  if (agent && reveals && id.startsWith('webhooks:')) throw (await import('./hand-over.js')).secretRefused(agent);
  const isKeyed = argv.some((word) => /^--idempotency-key(=|$)/.test(word));
  return isKeyed ? (await import('./idempotency-key.js')).runWithKey : undefined;
}
