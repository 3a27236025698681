// `centavo profiles remove`: removes a profile with its keys, settings and limits.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {confirmLocal, isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args} from '../../cli/oclif.js';
import {KEY_SLOTS, maskedKey} from '../../config/keys/keys.js';
import {SANDBOX_PROFILE} from '../../config/profiles.js';
import {formatCount} from '../../common/counts.js';
import {CentavoError, nextCommand} from '../../common/errors.js';
import {permitLimits} from '../config/shared/limit-changes.js';
import {existingProfile, forgetKeyFlag, forgetKeys, profileName} from './shared/profile-changes.js';

const REMOVED_PROFILE = schema.record(
  {profile: schema.text, removed: schema.list(schema.text), active: schema.text},
  {left: schema.list(schema.text)},
);

export class ProfilesRemoveCommand extends BaseCommand {
  static override summary = 'Remove a profile with its keys, settings and limits.';
  static override description =
    'The keys stay valid. To revoke a key, replace it in your dashboard. Only a person at a terminal can remove a profile that has limits and has or had a live key.\n\n' +
    'If a key cannot be removed, the profile stays, so that you can try again. With --force, centavo removes the profile and prints where the key may remain.';
  static override examples = [
    '<%= config.bin %> profiles remove shop',
    '<%= config.bin %> profiles remove shop --force',
  ];
  static override args = {name: Args.string({description: 'Name of the profile.', helpValue: '<profile>'})};
  static override flags = {force: forgetKeyFlag};
  static risk = 'destroys' as const;
  static exits = [...ACCOUNT_EXITS, 'keychain'] as const;
  static output = () => REMOVED_PROFILE;

  async run(): Promise<void> {
    const {args, flags} = await this.read(ProfilesRemoveCommand);
    const {context} = this;
    const [name, {keys}] = existingProfile(context, profileName(args.name));
    const held = KEY_SLOTS.filter((slot) => keys[slot]);
    const shown = held.map((slot) => maskedKey(slot, keys[slot]!.last4));
    const billing = await context.billing();
    const unfinished = billing.unfinishedStatementsOf(context.dataDirectory(), name);
    const parts = [
      `remove the profile ${name}${shown.length > 0 ? ` with ${shown.join(' and ')}` : ', which has no key'}`,
      unfinished.found.length > 0 && `, and ${formatCount(unfinished.found.length, 'unfinished billing statement')}`,
    ];
    const what = parts.filter(Boolean).join('');
    if (isDryRun(context, flags, what)) return;
    const change = {command: 'profiles remove', what: `${what}, and its limits`};
    const limits = await permitLimits(context, name, () => ({}), change);
    if (!limits.confirmed) await confirmLocal(context, flags, what);
    const {left, slots} = await forgetKeys(context, name, held, flags.force);
    const before = context.configuration.read().profile;
    const update = context.configuration.update((configuration) => {
      const {[name]: found, ...profiles} = configuration.profiles;
      // Keep the profile: without it, the new key could not be removed.
      if (Object.keys(found?.keys ?? {}).length > 0)
        throw new CentavoError('config', `profile ${name} got a new key during this command. It was not removed.`, {
          next: [nextCommand('Remove it again', 'profiles remove', name)],
        });
      limits.begin(configuration);
      const {profile} = configuration;
      return {...configuration, profile: profile === name ? SANDBOX_PROFILE : profile, profiles};
    });
    const {profile: active} = await update.catch((error: CentavoError) => {
      throw slots.length > 0 ? error.with({applied: 'yes', changed: 'Its keys were removed.'}) : error;
    });
    (await context.lookupCache()).clearLookupCache(context.dataDirectory(), name);
    unfinished.forget();
    const done = {profile: name, removed: shown, active: active ?? SANDBOX_PROFILE, ...left};
    await this.printDone(resultOfRecord(REMOVED_PROFILE, done));
    const drafts = unfinished.found.flatMap(({made: {statementId}}) => statementId ?? []);
    if (drafts.length > 0) context.io.note(`These unfinished drafts stay in the account: ${drafts.join(', ')}`);
    context.io.note(`Commands ${before === name ? 'now' : 'still'} use ${done.active}.`);
  }
}
