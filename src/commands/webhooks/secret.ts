// `centavo webhooks secret`: the secret that an app verifies events with, as long as listeners have one that lasts.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {sameAccount} from '../../cli/next-command.js';
import {Flags} from '../../cli/oclif.js';
import {resultOfRecord} from '../../cli/records.js';
import {recordSchema, textSchema} from '../../cli/schema.js';
import {CentavoError} from '../../common/errors.js';
import {endpointOf} from './shared/endpoint.js';

const SECRET = recordSchema({secret: textSchema});

export class SecretCommand extends BaseCommand {
  static override summary = 'Print the secret of a listener.';
  static override description =
    'In the sandbox, `webhooks listen` has the same secret whenever it runs in the same folder, or with the same --name, and before its first run one is made here. On a real account it has one that lasts with `webhooks listen --keep`.';
  static override examples = ['<%= config.bin %> webhooks secret', '<%= config.bin %> webhooks secret --name shop'];
  static override flags = {
    name: Flags.string({summary: 'Name of the listener. Defaults to the folder.', helpValue: '<name>'}),
  };
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => SECRET;

  async run(): Promise<void> {
    const {flags} = await this.read(SecretCommand);
    const {context} = this;
    const endpoint = await endpointOf(context, flags.name);
    const {endpoints} = await context.deliveries();
    const {mode, isNamed, name} = endpoint;
    const option = isNamed ? ` --name ${name}` : '';
    const known = endpoints.find(endpoint);
    let secret = known?.secret;
    if (secret === undefined && mode === 'sandbox') {
      secret = `whsk_${context.token(32)}`;
      endpoints.save(endpoint, {port: 0, token: context.token(32), ...known, secret});
      context.io.note(`It is new: the next centavo webhooks listen${option || ' in this folder'} uses it.`);
    }
    if (secret !== undefined) {
      // It is what was asked for.
      context.io.settings.reveal = true;
      const {format, jq, fields} = this.rendering;
      if (format === undefined && jq === undefined && !fields) await context.io.out(`${secret}\n`);
      else await this.print(resultOfRecord(SECRET, {secret}));
      return;
    }
    throw new CentavoError('not_found', `no listener ${isNamed ? name : 'of this folder'} has a secret yet.`, {
      why: 'On a real account only a webhook that is kept has one that lasts.',
      hint: `To get one: centavo webhooks listen${option} --keep${sameAccount(context)}`,
    });
  }
}
