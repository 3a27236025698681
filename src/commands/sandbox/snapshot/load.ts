// `centavo sandbox snapshot load`: saves the state of the sandbox, then goes back to a snapshot.

import {ACCOUNT_EXITS, BaseCommand, requiredArgument} from '../../../cli/base.js';
import {confirmLocal} from '../../../cli/dry-run.js';
import {accountFlagsOf} from '../../../cli/next-steps.js';
import {Args} from '../../../cli/oclif.js';
import {resultOfRecord} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';

const LOADED = schema.record({loaded: schema.text, saved: schema.text});

export class SnapshotLoadCommand extends BaseCommand {
  static override summary = 'Go back to a snapshot of the sandbox.';
  static override description =
    'Loads all objects, the log and the clock. Keys and addresses stay, so that apps keep working. Aimed failures end. centavo saves the present state first, and prints the command that goes back to it. At a terminal, centavo asks first.';
  static override examples = [
    '<%= config.bin %> sandbox snapshot load before-demo',
    '<%= config.bin %> sandbox snapshot load 2031-01-15-093000 --yes',
  ];
  static override args = {
    name: Args.string({description: 'Name of the snapshot, or a part of it.', helpValue: '<name>'}),
  };
  static risk = 'destroys' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => LOADED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(SnapshotLoadCommand);
    const {context} = this;
    const given = requiredArgument(args.name, 'the snapshot', 'centavo sandbox snapshot load before-demo');
    const snapshots = await (await context.sandbox()).snapshots();
    const loaded = snapshots.find(given);
    if (!(await confirmLocal(context, flags, `replace the state of the sandbox with ${loaded}`))) return;
    const saved = snapshots.load(loaded);
    context.io.note(`The previous state is saved as ${saved}.`);
    context.io.note(`To go back to it: centavo sandbox snapshot load ${saved}${accountFlagsOf(context)}`);
    await this.printDone(resultOfRecord(LOADED, {loaded, saved}));
  }
}
