// `centavo webhooks secret`: prints the permanent secret of a listener.

import {ACCOUNT_EXITS, BaseCommand} from '../../cli/base.js';
import {accountArgs} from '../../cli/next-steps.js';
import {Flags} from '../../cli/oclif.js';
import {resultOfRecord} from '../../cli/records.js';
import * as schema from '../../cli/schema.js';
import {CentavoError, nextCommand} from '../../common/errors.js';
import {isForPerson} from '../../guard/guard.js';
import {endpointOf} from './shared/endpoint.js';

const SECRET = schema.record({secret: schema.text});

export class SecretCommand extends BaseCommand {
  static override summary = 'Print the secret of a listener.';
  static override description =
    'In the sandbox, `webhooks listen` keeps its secret for each folder or --name. This command creates the secret if there was no run yet. On a real account, only `webhooks listen --keep` has a permanent secret.';
  static override examples = ['<%= config.bin %> webhooks secret', '<%= config.bin %> webhooks secret --name shop'];
  static override flags = {
    name: Flags.string({summary: 'Name of the listener. Default: the folder’s listener.', helpValue: '<name>'}),
  };
  static risk = 'reads' as const;
  static agents = 'never' as const;
  static exits = [...ACCOUNT_EXITS, 'auth', 'not_found'] as const;
  static output = () => SECRET;

  async run(): Promise<void> {
    const {flags} = await this.read(SecretCommand);
    const {context} = this;
    const agent = context.agent();
    if (agent && isForPerson(await context.connection(), agent))
      throw (await import('../../cli/operations/hand-over.js')).secretRefused(agent);
    const endpoint = await endpointOf(context, flags.name);
    const {endpoints} = await context.deliveries();
    const {mode, isNamed, name} = endpoint;
    const option = isNamed ? ` --name ${name}` : '';
    const known = endpoints.find(endpoint);
    let secret = known?.secret;
    if (secret === undefined && mode === 'sandbox') {
      secret = `whsk_${context.token(32)}`;
      endpoints.save(endpoint, {port: 0, token: context.token(32), ...known, secret});
      context.io.note(`New secret: the next centavo webhooks listen${option || ' in this folder'} uses it.`);
    }
    if (secret !== undefined) {
      context.io.settings.reveal = true;
      const {format, jq, fields} = this.rendering;
      if (format === undefined && jq === undefined && !fields) await context.io.out(`${secret}\n`);
      else await this.print(resultOfRecord(SECRET, {secret}));
      return;
    }
    throw new CentavoError('not_found', `no listener ${isNamed ? name : 'of this folder'} has a secret yet.`, {
      why: 'On a real account, only listeners started with --keep have a permanent secret.',
      next: [nextCommand('To get one', `webhooks listen${option} --keep --tunnel cloudflared`, accountArgs(context))],
    });
  }
}
