// `centavo sandbox snapshot save`: copies the sandbox to a file.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {isDryRun} from '../../../cli/dry-run.js';
import {accountFlagsOf} from '../../../cli/next-steps.js';
import {Args} from '../../../cli/oclif.js';
import {resultOfRecord} from '../../../cli/records.js';
import {SNAPSHOT} from './shared/snapshot-record.js';

export class SnapshotSaveCommand extends BaseCommand {
  static override summary = 'Save the state of the sandbox.';
  static override description =
    'A snapshot is a private file beside the sandbox file, with all objects, the log and the clock. Its name is the time in Manila, and the name that you give. Aimed failures are not saved.';
  static override examples = [
    '<%= config.bin %> sandbox snapshot save',
    '<%= config.bin %> sandbox snapshot save before-demo',
  ];
  static override usage = 'sandbox snapshot save [name] [flags]';
  static override args = {
    name: Args.string({description: 'Name to find it by: letters, digits and dashes.', helpValue: '<name>'}),
  };
  static risk = 'writes' as const;
  static agents = 'runs' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => SNAPSHOT;

  async run(): Promise<void> {
    const {args, flags} = await this.read(SnapshotSaveCommand);
    const {context} = this;
    if (isDryRun(context, flags, 'save a snapshot of the sandbox')) return;
    const snapshots = await (await context.sandbox()).snapshots();
    const saved = snapshots.save(args.name);
    context.io.note(`To load it: centavo sandbox snapshot load ${saved.name}${accountFlagsOf(context)}`);
    await this.printDone(resultOfRecord(SNAPSHOT, saved));
  }
}
