// `centavo profiles use`: changes the active profile.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {Args} from '../../cli/oclif.js';
import {BUILT_IN, ENVIRONMENT_PROFILE} from '../../config/profiles.js';
import {usageError} from '../../common/errors.js';
import {existingProfile, profileName} from './shared/profile-changes.js';

const SWITCHED = schema.record({profile: schema.text, previous: schema.text});

export class ProfilesUseCommand extends BaseCommand {
  static override summary = 'Switch to another profile.';
  static override description =
    'To use a profile for one command, add --profile. To use it in one terminal, set CENTAVO_PROFILE.';
  static override examples = ['<%= config.bin %> profiles use shop', '<%= config.bin %> profiles use sandbox'];
  static override args = {name: Args.string({description: 'Name of the profile, or sandbox.', helpValue: '<profile>'})};
  static risk = 'writes' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => SWITCHED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(ProfilesUseCommand);
    const {context} = this;
    const name = profileName(args.name);
    if (name === ENVIRONMENT_PROFILE) {
      throw usageError(
        'invalid_argument',
        'profile env stands for CENTAVO_SECRET_KEY and CENTAVO_BASE_URL, and cannot be the active profile.',
        {hint: 'For one command: --profile env'},
      );
    }
    if (!BUILT_IN.includes(name)) existingProfile(context, name);
    const done = {profile: name, previous: context.configuration.read().profile ?? 'sandbox'};
    if (isDryRun(context, flags, `make ${name} the active profile`)) return;
    await context.configuration.update((configuration) => ({...configuration, profile: name}));
    await this.printDone(resultOfRecord(SWITCHED, done));
    const {env} = context;
    const stronger = ['CENTAVO_PROFILE', 'CENTAVO_SECRET_KEY', 'CENTAVO_BASE_URL'].find((variable) => env[variable]);
    if (stronger) context.io.note(`${stronger} is set, and overrides it.`);
  }
}
