// `centavo profiles remove`: removes a profile with its keys, settings and limits.

import {Args} from '../../cli/oclif.js';
import {existingProfile, forceFlag, forgetKeys, profileName} from '../../cli/accounts/profile-changes.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecord} from '../../cli/columns.js';
import {confirmLocal} from '../../cli/dry-run.js';
import {list, record, text} from '../../cli/json-schema.js';
import {KEY_SLOTS, maskedKey} from '../../config/keys/keys.js';
import {SANDBOX_PROFILE} from '../../config/profiles.js';
import {CentavoError} from '../../errors.js';

export class ProfilesRemoveCommand extends BaseCommand {
  static override summary = 'Remove a profile: its keys, its settings and its limits.';
  static override description =
    'Nothing changes at the service: the keys stay valid there.\n\n' +
    'A profile whose key cannot be removed stays, so that it can be tried again; --force removes it all the same, and says where the key may still be.';
  static override examples = [
    '<%= config.bin %> profiles remove shop',
    '<%= config.bin %> profiles remove shop --force',
  ];
  static override usage = 'profiles remove <name> [flags]';
  static override args = {name: Args.string({description: 'The profile.'})};
  static override flags = {force: forceFlag};
  static risk = 'destroys' as const;
  static exits = [...ACCOUNT_EXITS, 'keychain'] as const;
  static output = () => record({profile: text, removed: list(text), active: text}, {left: list(text)});

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ProfilesRemoveCommand);
    const {context} = this;
    const [name, {keys}] = existingProfile(context, profileName(args.name));
    const held = KEY_SLOTS.filter((slot) => keys[slot]);
    const shown = held.map((slot) => maskedKey(slot, keys[slot]!.last4));
    const what = `remove the profile ${name}${shown.length > 0 ? ` with ${shown.join(' and ')}` : ', which has no key'}`;
    if (!(await confirmLocal(context, flags, what))) return undefined;
    const {left} = await forgetKeys(context, name, held, {
      force: flags.force,
      again: `centavo profiles remove ${name} --force`,
    });
    const before = context.configuration.read().profile;
    const {profile: active} = await context.configuration.update((configuration) => {
      const {[name]: found, ...profiles} = configuration.profiles;
      // Without the profile, nobody could remove its key any more.
      if (Object.keys(found?.keys ?? {}).length > 0)
        throw new CentavoError('config', `the profile ${name} got another key just now, and is left.`, {
          why: 'Its other keys are removed.',
          hint: `Remove it again: centavo profiles remove ${name}`,
          applied: 'yes',
        });
      const {profile} = configuration;
      return {...configuration, profile: profile === name ? SANDBOX_PROFILE : profile, profiles};
    });
    await context.forgetNumbers(name);
    const record = {profile: name, removed: shown, active: active ?? SANDBOX_PROFILE, ...left};
    await this.printDone(resultOfRecord(record));
    context.io.note(`Commands speak to ${record.active} ${before === name ? 'now' : 'as before'}.`);
    return record;
  }
}
