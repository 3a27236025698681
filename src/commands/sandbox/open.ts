// `centavo sandbox open [id]`: the studio of a served sandbox, in the browser.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {isDryRun} from '../../cli/dry-run.js';
import {Args} from '../../cli/oclif.js';
import {resultOfRecord} from '../../cli/records.js';
import {booleanSchema, recordSchema, textSchema} from '../../cli/schema.js';
import {CentavoError} from '../../common/errors.js';
import {isMachineFormat} from '../../output/render.js';

const OPENED = recordSchema({url: textSchema, opened: booleanSchema});

export class SandboxOpenCommand extends BaseCommand {
  static override summary = 'Open the studio of a served sandbox in the browser.';
  static override description =
    'It shows what is in the sandbox and what happens, from each request to what each webhook answered, and has buttons to pay, to fail a payment, to resend an event and to move the clock. Where there is no browser, such as over SSH, its address is printed instead. BROWSER can name the program to use.';
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
  static exits = [...ACCOUNT_EXITS, 'unavailable'] as const;
  static output = () => OPENED;

  async run(): Promise<void> {
    const {args, flags} = await this.read(SandboxOpenCommand);
    const {context, rendering} = this;
    const {io} = context;
    if (isDryRun(context, flags, 'open the studio')) return;
    const studio = await (await context.sandbox()).servedStudio();
    if (studio === undefined)
      throw new CentavoError('unavailable', 'the sandbox is not served now.', {
        code: 'not_served',
        hint: 'To serve it, in another terminal: centavo sandbox serve',
      });
    const wanted = args.id?.trim() ?? '';
    const url = studio + (/^([a-z]+_\w+)?$/.test(wanted) ? wanted : `search?${new URLSearchParams({q: wanted})}`);
    const {openAddress} = await import('../../processes/desktop.js');
    const {by, failed} = await openAddress(url, context.host);
    if (by !== undefined) io.note('Opened the studio in the browser.');
    else io.note(`The studio could not be opened here: ${failed ?? 'there is no browser'}. Its address:`);
    const document = {url, opened: by !== undefined};
    if (isMachineFormat(rendering) || rendering.format === 'csv' || rendering.fields)
      await this.print(resultOfRecord(OPENED, document));
    else await io.out(`${url}\n`);
  }
}
