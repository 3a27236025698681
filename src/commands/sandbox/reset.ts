// `centavo sandbox reset`: deletes the sandbox data. The keys stay, so that apps keep working.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {confirmLocal} from '../../cli/dry-run.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {sandboxName} from '../../config/resolve.js';
import {capitalized, CentavoError, messageAndReason} from '../../common/errors.js';
import {forgetLocally} from './shared/forget-locally.js';

const UNREADABLE = new Set(['damaged_file', 'foreign_file', 'other_version']);

const EMPTIED = schema.record({reset: schema.boolean}, {old_file: schema.text});

export class ResetCommand extends BaseCommand {
  static override summary = 'Delete all sandbox data, and reset its clock.';
  static override description =
    'The sandbox keeps its keys, fees and event shape. centavo renames a sandbox file that is damaged or belongs to another version or program. It then creates a new sandbox with new keys. At a terminal, centavo asks first.';
  static override examples = ['<%= config.bin %> sandbox reset', '<%= config.bin %> sandbox reset --yes'];
  static risk = 'destroys' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => EMPTIED;

  async run(): Promise<void> {
    const {flags} = await this.read(ResetCommand);
    const {context} = this;
    const fault = await this.fault(async () => void (await context.sandbox()));
    if (fault) context.io.note(capitalized(messageAndReason(fault)));
    const what = fault ? 'replace the sandbox with an empty one that has new keys' : 'delete all sandbox data';
    if (!(await confirmLocal(context, flags, what))) return;
    // A damaged file may open and fail only here.
    const unreadable = fault ?? (await this.fault(async () => (await context.sandbox()).reset()));
    const aside = unreadable && (await context.setSandboxAside());
    if (aside) {
      context.io.note(`The old file is now ${aside}. The new sandbox has new keys.`);
      context.io.note('Restart sandbox serve and webhooks listen if they still use the old sandbox.');
    }
    await forgetLocally(context, sandboxName(context.project()));
    const done = {reset: true, ...(aside && {old_file: aside})};
    context.io.note('The sandbox is empty.');
    await this.print(resultOfRecord(EMPTIED, done, {all: ['reset', 'old_file']}));
  }

  /** Returns the error of an unreadable file; throws any other error. */
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
