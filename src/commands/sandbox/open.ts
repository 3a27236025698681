// `centavo sandbox open [id]`: opens the studio of a served sandbox in the browser.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {Args} from '../../cli/oclif.js';
import {wholeId} from '../../cli/references/local-ids.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {CentavoError, nextCommand} from '../../common/errors.js';
import {isMachineFormat} from '../../output/render.js';

const OPENED = schema.record({url: schema.text, opened: schema.boolean});

export class SandboxOpenCommand extends BaseCommand {
  static override summary = 'Open the studio of a served sandbox in the browser.';
  static override description =
    'The studio shows the data, requests, events and webhook responses of the sandbox. It has buttons to pay, fail a payment, resend an event and move the clock. Without a browser, such as over SSH, its address is printed instead. Set BROWSER to choose the program.';
  static override examples = [
    '<%= config.bin %> sandbox open',
    '<%= config.bin %> sandbox open JEEPNEY-0002',
    '<%= config.bin %> sandbox open evt_3Kd8',
  ];
  static override usage = 'sandbox open [id] [flags]';
  static override args = {
    id: Args.string({
      description: 'Id of an object, an event or a request, or words to search for.',
      helpValue: '<id>',
    }),
  };
  static risk = 'reads' as const;
  static agents = 'never' as const;
  static exits = [...ACCOUNT_EXITS, 'unavailable'] as const;
  static output = () => OPENED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(SandboxOpenCommand);
    const {context, rendering} = this;
    const {io} = context;
    if (isDryRun(context, flags, 'open the studio')) return;
    const sandbox = await context.sandbox();
    const studio = await sandbox.servedStudio();
    if (studio === undefined)
      throw new CentavoError('unavailable', 'the sandbox is not being served.', {
        code: 'not_served',
        next: [nextCommand('To serve it, in another terminal', 'sandbox serve')],
      });
    const wanted = await wholeId(context, args.id ?? '', [sandbox]);
    const url = studio + (/^([a-z]+_\w+)?$/.test(wanted) ? wanted : `search?${new URLSearchParams({q: wanted})}`);
    const {openAddress} = await import('../../processes/desktop.js');
    const problem = await openAddress(url, context.host);
    io.note(problem ? `${problem} Studio address:` : 'Opened the studio in the browser.');
    const document = {url, opened: !problem};
    if (isMachineFormat(rendering) || rendering.format === 'csv' || rendering.fields)
      await this.print(resultOfRecord(OPENED, document));
    else await io.out(`${url}\n`);
  }
}
