// Changes of limits: loosening a limit of a live key needs confirmation at a terminal. Each change is recorded.

import {
  ENVIRONMENT_PROFILE,
  knownKeys,
  SANDBOX_PROFILE,
  type Configuration,
  type Profile,
} from '../../../config/profiles.js';
import {LIMITS, limitHeadroom, type SettingName, type SettingValue} from '../../../config/settings.js';
import type {Context} from '../../../context/context.js';
import type {Environment} from '../../../common/environment.js';
import {refusedError} from '../../../common/errors.js';
import {shownValue} from './setting-rows.js';

type SettingsChange = (settings: Profile['settings']) => Profile['settings'];

const formatLimit = (name: SettingName, value: SettingValue | undefined): string =>
  shownValue({name, value: value ?? null}) || 'unset';

/** `words`: `max_amount from ₱100.00 to ₱5,000.00`, or empty. `loosens`: true if a user must confirm. */
function limitChange(env: Environment, {profiles}: Configuration, profile: string, change: SettingsChange) {
  const own = profiles[profile] ?? {keys: {}, settings: {}};
  const after = change(own.settings);
  const changed = LIMITS.filter((name) => own.settings[name] !== after[name]);
  // A key in the environment can be used with every account profile.
  const isLive =
    profile === ENVIRONMENT_PROFILE ||
    knownKeys(own).some((key) => key.startsWith('live_')) ||
    /^\s*[sp]k_live_/.test(env.CENTAVO_SECRET_KEY ?? '');
  const mode = profile === SANDBOX_PROFILE ? 'sandbox' : isLive ? 'live' : 'test';
  const words = changed.map(
    (name) => `${name} from ${formatLimit(name, own.settings[name])} to ${formatLimit(name, after[name])}`,
  );
  const loosens = changed.some((name) => limitHeadroom(name, after[name]) > limitHeadroom(name, own.settings[name]));
  // A profile without a live key may get one later.
  const isGuarded = mode === 'live' || after.agents !== own.settings.agents;
  return {words: words.join(', '), mode, loosens: isGuarded && loosens} as const;
}

/**
 * Asks the user before a change loosens a limit of a live key; --yes does not confirm it.
 * @returns `begin`, which records the change, and throws if limits or keys changed since
 */
export async function permitLimits(
  {configuration, env, io, prompt, changeLog: openHistory}: Context,
  profile: string,
  change: SettingsChange,
  {command, what}: {command: string; what: string},
): Promise<{confirmed: boolean; begin: (now: Configuration) => void}> {
  const agreed = limitChange(env, configuration.read(), profile, change);
  const {words: reason, mode, loosens} = agreed;
  if (loosens && !io.canAsk)
    throw refusedError(
      'cannot_confirm',
      `this would ${what}: ${reason}.${io.settings.agent ? '' : ' No terminal is available to confirm it.'}`,
      {
        why: 'Only a person at a terminal can loosen a limit that protects a live key.',
      },
    );
  if (loosens && !(await prompt.confirm(`LIVE · ${profile}: ${what}: ${reason}?`)))
    throw refusedError('not_confirmed', 'not confirmed.');
  const history = await openHistory();
  const begin = (now: Configuration): void => {
    const found = limitChange(env, now, profile, change);
    if (found.words === '') return;
    if (JSON.stringify(found) !== JSON.stringify(agreed))
      throw refusedError('changed_meanwhile', `the limits or keys of ${profile} changed during this command.`, {
        hint: 'Run the command again.',
      });
    history.begin({profile, mode, command, ids: [], reason});
  };
  return {confirmed: loosens, begin};
}
