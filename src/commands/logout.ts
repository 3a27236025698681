// `centavo logout`: removes keys. The profile and its settings stay.

import {ACCOUNT_EXITS, BaseCommand} from '../cli/base.js';
import {confirmLocal} from '../cli/dry-run.js';
import {resultOfRecord} from '../cli/records.js';
import * as schema from '../cli/schema.js';
import {KEY_SLOTS, maskedKey} from '../config/keys/keys.js';
import {usageError} from '../common/errors.js';
import {existingProfile, forgetKeyFlag, forgetKeys} from './profiles/shared/profile-changes.js';

const REMOVED_KEYS = schema.record(
  {profile: schema.text, removed: schema.list(schema.text), slots: schema.list(schema.text)},
  {left: schema.list(schema.text)},
);

export class LogoutCommand extends BaseCommand {
  static override summary = 'Remove the keys of a profile from this machine.';
  static override description =
    'The keys stay valid, and anyone who has a copy can still use it. To revoke a key, replace it in your dashboard.\n\n' +
    'The profile and its settings stay. If a key cannot be removed, it stays too, so that you can try again. With --force, centavo forgets it and prints which keychain entry or file may still contain it.';
  static override examples = ['<%= config.bin %> logout', '<%= config.bin %> logout --profile shop --force'];
  static override flags = {force: forgetKeyFlag};
  static risk = 'destroys' as const;
  static exits = [...ACCOUNT_EXITS, 'keychain'] as const;
  static output = () => REMOVED_KEYS;

  async run(): Promise<void> {
    const {flags} = await this.read(LogoutCommand);
    const {context} = this;
    const [name, {keys}] = existingProfile(context, flags.profile);
    if (flags.live) throw usageError('invalid_flag', '--live does not apply to logout, which removes all keys.');
    const slots = KEY_SLOTS.filter((slot) => keys[slot]);
    const shown = slots.map((slot) => maskedKey(slot, keys[slot]!.last4));
    if (slots.length > 0) {
      if (!(await confirmLocal(context, flags, `remove ${shown.join(' and ')} of ${name}`))) return;
    } else context.io.note(`${name} has no stored key. Nothing changed.`);
    const removed = await forgetKeys(context, name, slots, flags.force);
    (await context.lookupCache()).clearLookupCache(context.dataDirectory(), name);
    await this.printDone(
      resultOfRecord(REMOVED_KEYS, {profile: name, removed: shown, slots: removed.slots, ...removed.left}),
    );
    if (context.env.CENTAVO_SECRET_KEY) context.io.note('CENTAVO_SECRET_KEY is still set, and centavo still uses it.');
  }
}
