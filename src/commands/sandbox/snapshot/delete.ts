// `centavo sandbox snapshot delete`: deletes the file of a snapshot.

import {ACCOUNT_EXITS, BaseCommand, requiredArgument} from '../../../cli/base.js';
import {confirmLocal} from '../../../cli/dry-run.js';
import {Args} from '../../../cli/oclif.js';
import {resultOfRecord} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';

const DELETED = schema.record({name: schema.text, deleted: schema.constant(true)});

export class SnapshotDeleteCommand extends BaseCommand {
  static override summary = 'Delete a snapshot of the sandbox.';
  static override description = 'The sandbox itself does not change. At a terminal, centavo asks first.';
  static override examples = ['<%= config.bin %> sandbox snapshot delete before-demo'];
  static override args = {
    name: Args.string({description: 'Name of the snapshot, or a part of it.', helpValue: '<name>'}),
  };
  static risk = 'destroys' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => DELETED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(SnapshotDeleteCommand);
    const {context} = this;
    const given = requiredArgument(args.name, 'the snapshot', 'centavo sandbox snapshot delete before-demo');
    const snapshots = await (await context.sandbox()).snapshots();
    const name = snapshots.find(given);
    if (!(await confirmLocal(context, flags, `delete the snapshot ${name}`))) return;
    snapshots.remove(name);
    await this.printDone(resultOfRecord(DELETED, {name, deleted: true}));
  }
}
