// `centavo profiles list`: lists the profiles, and marks the active profile.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {resultOfRecords} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {KEY_SLOTS, maskedKey} from '../../config/keys/keys.js';
import {
  BUILT_IN,
  ENVIRONMENT_PROFILE,
  type Profile,
  PROFILE_FLAG,
  SANDBOX_PROFILE,
  type Setting,
} from '../../config/profiles.js';
import {resolveEndpoint, resolveProfile, type ResolveInput} from '../../config/resolve.js';

const PROFILE = schema.record({
  name: schema.text,
  active: schema.boolean,
  keys: schema.list(schema.text),
  stores: schema.list(schema.text),
  merchant_id: schema.nullable(schema.text),
  merchant_name: schema.nullable(schema.text),
  base_url: schema.text,
});
const PROFILE_COLUMNS = ['name', 'active', 'keys', 'merchant_name', 'base_url'];

export class ProfilesListCommand extends BaseCommand {
  static override summary = 'List your profiles.';
  static override examples = ['<%= config.bin %> profiles list', '<%= config.bin %> profiles list --json'];
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'auth'] as const;
  static output = () => schema.page(PROFILE);

  async run(): Promise<void> {
    await this.read(ProfilesListCommand);
    const {context} = this;
    const input = await context.settingsInput();
    const {profiles, profile: chosen} = input.configuration;
    const active = resolveProfile(input);
    const data = [...new Set([...BUILT_IN, ...Object.keys(profiles)])]
      // env is listed only if it is in use or has settings.
      .filter((name) => name !== ENVIRONMENT_PROFILE || active.value === name || profiles[name])
      .map((name) => profileRecord(name, profiles[name], active, input));
    await this.print(resultOfRecords(PROFILE, data, {columns: PROFILE_COLUMNS}));
    if (!['configuration', 'default'].includes(active.source))
      context.io.note(`${active.source} selects ${active.value}. Without it, ${chosen ?? SANDBOX_PROFILE} is active.`);
  }
}

function profileRecord(name: string, profile: Profile | undefined, used: Setting<string>, input: ResolveInput) {
  const active = used.value === name;
  // Settings of an inactive profile are resolved as if --profile named it.
  const named = active ? used : {value: name, source: PROFILE_FLAG};
  const held = KEY_SLOTS.flatMap((slot) => {
    const key = profile?.keys[slot];
    return key ? [{masked: maskedKey(slot, key.last4), store: key.store}] : [];
  });
  return {
    name,
    active,
    keys: held.map(({masked}) => masked),
    stores: [...new Set(held.map(({store}) => store))],
    merchant_id: profile?.merchant?.id ?? null,
    merchant_name: profile?.merchant?.name ?? null,
    base_url: name === SANDBOX_PROFILE ? 'embedded sandbox' : resolveEndpoint(named, input).baseUrl.value,
  };
}
