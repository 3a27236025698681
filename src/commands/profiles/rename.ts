// `centavo profiles rename`: gives a profile another name.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import {boolean, record, text} from '../../cli/schema.js';
import {Args} from '../../cli/oclif.js';
import {checkProfileName} from '../../config/profiles.js';
import {CentavoError, usageError} from '../../ground/errors.js';
import {existingProfile} from './shared/profile-changes.js';

const RENAMED = record({profile: text, previous: text, active: boolean});

export class ProfilesRenameCommand extends BaseCommand {
  static override summary = 'Rename a profile.';
  static override examples = ['<%= config.bin %> profiles rename default shop'];
  static override args = {
    old: Args.string({description: 'Current name.', helpValue: '<profile>'}),
    new: Args.string({description: 'New name.'}),
  };
  static risk = 'writes' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => RENAMED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(ProfilesRenameCommand);
    const {context} = this;
    if (args.old === undefined || args.new === undefined)
      throw usageError('missing_argument', 'the current name and the new name are needed.', {
        hint: 'For example: centavo profiles rename default shop',
      });
    const [from] = existingProfile(context, args.old);
    const to = checkProfileName(args.new);
    const taken = (names: object): void => {
      if (Object.hasOwn(names, to))
        throw new CentavoError('usage', `there is already a profile ${to}.`, {
          code: 'name_taken',
          hint: 'To list the profiles: centavo profiles list',
        });
    };
    taken(context.configuration.read().profiles);
    if (isDryRun(context, flags, `rename ${from} to ${to}`)) return;
    const {profile: active} = await context.configuration.update(({profile, profiles, ...rest}) => {
      taken(profiles);
      const renamed = Object.entries(profiles).map(([name, value]) => [
        name === from ? to : name,
        // Keys made before profiles had ids go by the first name.
        name === from ? {id: from, ...value} : value,
      ]);
      return {...rest, profile: profile === from ? to : profile, profiles: Object.fromEntries(renamed)};
    });
    (await context.remembered()).forgetKnown(context.dataDirectory(), from);
    const done = {profile: to, previous: from, active: active === to};
    await this.printDone(resultOfRecord(RENAMED, done));
  }
}
