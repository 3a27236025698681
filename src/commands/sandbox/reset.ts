// `centavo sandbox reset`: empties the sandbox. Its keys stay, so that an app that uses them goes on working.

import {capitalized, CentavoError, whatAndWhy} from '../../errors.js';
import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {recordColumns, resultOfRecord} from '../../cli/columns.js';
import {confirmLocal} from '../../cli/dry-run.js';
import {boolean, record, text} from '../../cli/json-schema.js';
import {SANDBOX_PROFILE} from '../../config/profiles.js';

/** Codes of errors that are about the file itself. */
const UNREADABLE = new Set(['damaged_file', 'foreign_file', 'other_version']);

export class ResetCommand extends BaseCommand {
  static override summary = 'Forget everything in the sandbox and bring its clock back.';
  static override description =
    'The sandbox’s keys stay as they are. If the file is damaged, or was made by another version of centavo or by another program, it is renamed and a new sandbox with new keys takes its place. On a terminal you are asked first.';
  static override examples = ['<%= config.bin %> sandbox reset', '<%= config.bin %> sandbox reset --yes'];
  static risk = 'destroys' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => record({reset: boolean}, {old_file: text});

  async run(): Promise<unknown> {
    const {flags} = await this.read(ResetCommand);
    const {context} = this;
    const fault = await this.fault(async () => void (await context.sandbox()));
    if (fault) context.io.note(capitalized(whatAndWhy(fault)));
    const what = fault ? 'replace the sandbox with an empty one that has new keys' : 'forget everything in the sandbox';
    if (!(await confirmLocal(context, flags, what))) return undefined;
    // Damage may show only now, although the file could be opened.
    const unreadable = fault ?? (await this.fault(async () => (await context.sandbox()).reset()));
    const aside = unreadable && (await context.setSandboxAside());
    if (aside) {
      context.io.note(`The old file is now ${aside}. The new sandbox has new keys.`);
      context.io.note('Restart what still uses the old one: sandbox serve, webhooks listen.');
    }
    await context.forgetNumbers(SANDBOX_PROFILE);
    const done = {reset: true, ...(aside && {old_file: aside})};
    context.io.note('The sandbox is empty.');
    await this.print({...resultOfRecord(done), all: recordColumns(['reset', 'old_file'], {reset: 'boolean'})});
    return done;
  }

  /** The error when the file cannot be read; undefined when it can. @throws CentavoError for anything else */
  private async fault(work: () => Promise<void>): Promise<CentavoError | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (error instanceof CentavoError && UNREADABLE.has(error.code)) return error;
      throw error;
    }
  }
}
