// `centavo sandbox reset`: an empty sandbox again. Its keys stay, so that an app that was set up goes on working.

import {BaseCommand} from '../base.js';
import {confirmLocal} from '../confirm-local.js';

export class ResetCommand extends BaseCommand {
  static override summary = 'Forget everything in the sandbox and bring its clock back.';
  static override description = 'The sandbox’s keys stay as they are. On a terminal you are asked first.';
  static override examples = ['<%= config.bin %> sandbox reset', '<%= config.bin %> sandbox reset --yes'];

  async run(): Promise<unknown> {
    const {flags} = await this.read(ResetCommand);
    const {context} = this;
    if (!(await confirmLocal(context, flags, 'forget everything in the sandbox'))) return undefined;
    (await context.sandbox()).reset();
    const done = {reset: true};
    context.io.note('The sandbox is empty.');
    await this.print({
      rows: [done],
      document: done,
      columns: [],
      all: [{path: 'reset', header: 'reset', kind: 'boolean'}],
      shape: 'one',
    });
    return done;
  }
}
