// `centavo profiles`: which accounts there are, and which one commands speak to.

import {Args} from '@oclif/core';
import {existingProfile, forceFlag, forgetKeys} from '../cli/accounts/profile-changes.js';
import {BaseCommand} from '../cli/base.js';
import {recordColumns, resultOfRecord, resultOfRecords} from '../cli/columns.js';
import {confirmLocal, isDryRun} from '../cli/dry-run.js';
import {KEY_SLOTS, maskedKey} from '../config/keys/keys.js';
import {
  BUILT_IN,
  checkProfileName,
  ENVIRONMENT_PROFILE,
  type Profile,
  PROFILE_FLAG,
  SANDBOX_PROFILE,
  type Setting,
} from '../config/profiles.js';
import {resolveEndpoint, resolveProfile, resolveSetting, type Surroundings} from '../config/resolve.js';
import {CentavoError, usageError} from '../errors.js';

const KINDS = {active: 'boolean', read_only: 'boolean', max_amount: 'centavos'} as const;
const COLUMNS = recordColumns(['name', 'active', 'keys', 'merchant_name', 'base_url'], KINDS);
const MORE = ['merchant_id', 'stores', 'read_only', 'max_amount', 'max_statements_per_run'];
const ALL = [...COLUMNS, ...recordColumns(MORE, KINDS)];

export class ProfilesListCommand extends BaseCommand {
  static override summary = 'List the profiles, and which one is active.';
  static override examples = ['<%= config.bin %> profiles list', '<%= config.bin %> profiles list --json'];

  async run(): Promise<unknown> {
    await this.read(ProfilesListCommand);
    const {context} = this;
    const surroundings = await context.surroundings();
    const {profiles, profile: chosen} = surroundings.configuration;
    const active = resolveProfile(surroundings);
    const data = [...new Set([...BUILT_IN, ...Object.keys(profiles)])]
      // env is listed only if it is in use or has settings.
      .filter((name) => name !== ENVIRONMENT_PROFILE || active.value === name || profiles[name])
      .map((name) => recordOf(name, profiles[name], active, surroundings));
    const document = {resource: 'list', has_more: false, data};
    await this.print(resultOfRecords(data, COLUMNS, {document, all: ALL}));
    if (!['configuration', 'default'].includes(active.source))
      context.io.note(`${active.source} says ${active.value}; without it: ${chosen ?? SANDBOX_PROFILE}.`);
    return data;
  }
}

function recordOf(name: string, profile: Profile | undefined, used: Setting<string>, surroundings: Surroundings) {
  const active = used.value === name;
  // Another one is used by naming it.
  const named = active ? used : {value: name, source: PROFILE_FLAG};
  const held = KEY_SLOTS.flatMap((slot) => {
    const key = profile?.keys[slot];
    return key ? [{masked: maskedKey(slot, key.last4), store: key.store}] : [];
  });
  const setting = (wanted: 'max_amount' | 'max_statements_per_run' | 'read_only') =>
    resolveSetting(wanted, named, surroundings).value ?? null;
  return {
    name,
    active,
    keys: held.map(({masked}) => masked),
    stores: [...new Set(held.map(({store}) => store))],
    merchant_id: profile?.merchant?.id ?? null,
    merchant_name: profile?.merchant?.name ?? null,
    base_url: name === SANDBOX_PROFILE ? 'embedded sandbox' : resolveEndpoint(named, surroundings).baseUrl.value,
    read_only: setting('read_only'),
    max_amount: setting('max_amount'),
    max_statements_per_run: setting('max_statements_per_run'),
  };
}

/** @throws CentavoError kind `usage` */
function nameGiven(name: string | undefined): string {
  if (name !== undefined) return name;
  throw usageError('the name is missing.', {code: 'missing_argument', hint: 'To see them: centavo profiles list'});
}

export class ProfilesUseCommand extends BaseCommand {
  static override summary = 'Make a profile the active one.';
  static override description = 'For one command only: --profile. For one terminal: CENTAVO_PROFILE.';
  static override examples = ['<%= config.bin %> profiles use shop', '<%= config.bin %> profiles use sandbox'];
  static override usage = 'profiles use <name> [flags]';
  static override args = {name: Args.string({description: 'A profile that is there, or sandbox.'})};

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ProfilesUseCommand);
    const {context} = this;
    const name = nameGiven(args.name);
    if (name === ENVIRONMENT_PROFILE) {
      throw usageError(
        'the profile env stands for CENTAVO_SECRET_KEY and CENTAVO_BASE_URL, and cannot be made the active one.',
        {code: 'invalid_argument', hint: 'For one command: --profile env'},
      );
    }
    if (!BUILT_IN.includes(name)) existingProfile(context, name);
    const record = {profile: name, previous: context.configuration.read().profile ?? 'sandbox'};
    if (isDryRun(context, flags, `make ${name} the active profile`)) return undefined;
    await context.configuration.update((configuration) => ({...configuration, profile: name}));
    await this.printDone(resultOfRecord(record));
    const {env} = context;
    const stronger = ['CENTAVO_PROFILE', 'CENTAVO_SECRET_KEY', 'CENTAVO_BASE_URL'].find((variable) => env[variable]);
    if (stronger) context.io.note(`${stronger} is set, and comes before it.`);
    return record;
  }
}

export class ProfilesRenameCommand extends BaseCommand {
  static override summary = 'Give a profile another name.';
  static override examples = ['<%= config.bin %> profiles rename default shop'];
  static override usage = 'profiles rename <old> <new> [flags]';
  static override args = {
    old: Args.string({description: 'The name that it has.'}),
    new: Args.string({description: 'The name that it gets.'}),
  };

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ProfilesRenameCommand);
    const {context} = this;
    if (args.old === undefined || args.new === undefined)
      throw usageError('two names are needed.', {
        code: 'missing_argument',
        hint: 'For example: centavo profiles rename default shop',
      });
    const [from] = existingProfile(context, args.old);
    const to = checkProfileName(args.new);
    const taken = (names: object): void => {
      if (Object.hasOwn(names, to))
        throw new CentavoError('usage', `there is a profile ${to} already.`, {
          code: 'name_taken',
          hint: 'To see them: centavo profiles list',
          applied: 'no',
        });
    };
    taken(context.configuration.read().profiles);
    if (isDryRun(context, flags, `rename ${from} to ${to}`)) return undefined;
    const {profile: active} = await context.configuration.update(({profile, profiles, ...rest}) => {
      taken(profiles);
      const renamed = Object.entries(profiles).map(([name, value]) => [
        name === from ? to : name,
        // Keys made before profiles had ids go by the first name.
        name === from ? {id: from, ...value} : value,
      ]);
      return {...rest, profile: profile === from ? to : profile, profiles: Object.fromEntries(renamed)};
    });
    const record = {profile: to, previous: from, active: active === to};
    await this.printDone(resultOfRecord(record));
    return record;
  }
}

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

  async run(): Promise<unknown> {
    const {args, flags} = await this.read(ProfilesRemoveCommand);
    const {context} = this;
    const [name, {keys}] = existingProfile(context, nameGiven(args.name));
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
    const record = {profile: name, removed: shown, active: active ?? SANDBOX_PROFILE, ...left};
    await this.printDone(resultOfRecord(record));
    context.io.note(`Commands speak to ${record.active} ${before === name ? 'now' : 'as before'}.`);
    return record;
  }
}
