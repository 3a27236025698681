// `centavo sandbox snapshot list`: lists the snapshots of the sandbox.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {resultOfRecords} from '../../../cli/records.js';
import * as schema from '../../../cli/schema.js';
import {SNAPSHOT} from './shared/snapshot-record.js';

export class SnapshotListCommand extends BaseCommand {
  static override summary = 'List the snapshots of the sandbox, newest first.';
  static override description = 'Snapshots that the studio saved are listed too.';
  static override examples = ['<%= config.bin %> sandbox snapshot list'];
  static risk = 'reads' as const;
  static exits = ACCOUNT_EXITS;
  static output = () => schema.page(SNAPSHOT);

  async run(): Promise<void> {
    await this.read(SnapshotListCommand);
    const rows = (await (await this.context.sandbox()).snapshots()).list();
    const words = {atTerminal: ['name', 'saved_at', 'bytes'], empty: 'No snapshots found.'};
    await this.print(resultOfRecords(SNAPSHOT, rows, words));
  }
}
