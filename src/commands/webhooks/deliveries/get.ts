// `centavo webhooks deliveries get`: one delivery with everything that is known about it.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {Args} from '../../../cli/oclif.js';
import {
  ALL_DELIVERY_COLUMNS,
  DELIVERY_COLUMNS,
  deliveryObject,
  deliverySchema,
  findDelivery,
  previousDelivery,
} from '../shared/deliveries.js';
import {detailLines} from '../shared/delivery-details.js';

export class DeliveriesGetCommand extends BaseCommand {
  static override summary = 'Show a delivery: verdict, attempts, headers, body and changed fields.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries get dlv_3Vt8',
    '<%= config.bin %> webhooks deliveries get dlv_3Vt8 --json',
  ];
  static override usage = 'webhooks deliveries get <id> [flags]';
  static override args = {id: Args.string({description: 'Id of the delivery (dlv_).', helpValue: '<dlv_…>'})};
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => deliverySchema;

  async run(): Promise<unknown> {
    const {args} = await this.read(DeliveriesGetCommand);
    const {io, now, deliveries, webhooks} = this.context;
    const store = await deliveries();
    const delivery = findDelivery(store, args.id);
    const attempts = store.forwards.attempts(delivery.id);
    const object = deliveryObject(delivery, attempts);
    const {format, jq, fields} = this.rendering;
    if (format !== undefined || jq !== undefined || fields) {
      const [columns, all] = [DELIVERY_COLUMNS, ALL_DELIVERY_COLUMNS];
      await this.print({rows: [object], document: object, columns, all, shape: 'one'});
      return object;
    }
    const {explainReason: explain} = await webhooks();
    const lines = detailLines(delivery, attempts, previousDelivery(store, delivery), {explain, now: now(), io});
    await io.out(`${lines.join('\n')}\n`);
    return object;
  }
}
