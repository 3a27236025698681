// `centavo webhooks deliveries get`: shows a delivery with its attempts and content.

import {ACCOUNT_EXITS, BaseCommand} from '../../../cli/base.js';
import {Args} from '../../../cli/oclif.js';
import {resultOfRecord} from '../../../cli/records.js';
import {DELIVERY, deliveryColumns, deliveryObject, findDelivery, previousDelivery} from '../shared/deliveries.js';
import {detailLines} from '../shared/delivery-details.js';

export class DeliveriesGetCommand extends BaseCommand {
  static override summary = 'Show a delivery and your app’s responses.';
  static override examples = [
    '<%= config.bin %> webhooks deliveries get dlv_3Vt8',
    '<%= config.bin %> webhooks deliveries get evt_3Vt8 --json',
  ];
  static override args = {id: Args.string({description: 'Id of the delivery, or of its event.', helpValue: '<dlv_…>'})};
  static risk = 'reads' as const;
  static exits = [...ACCOUNT_EXITS, 'not_found'] as const;
  static output = () => DELIVERY;

  async run(): Promise<void> {
    const {args} = await this.read(DeliveriesGetCommand);
    const {io, now, deliveries, webhooks} = this.context;
    const store = await deliveries();
    const delivery = await findDelivery(this.context, args.id);
    const {explainReason: explain, deliveryOutcomeOf} = await webhooks();
    const outcome = deliveryOutcomeOf(store, delivery, this.context);
    const object = deliveryObject(delivery, outcome);
    const {format, jq, fields} = this.rendering;
    if (format !== undefined || jq !== undefined || fields)
      return this.print(resultOfRecord(DELIVERY, object, deliveryColumns));
    const previous = previousDelivery(store, delivery);
    const lines = detailLines(delivery, {...outcome, previous}, {explain, now: now(), io});
    await io.out(`${lines.join('\n')}\n`);
  }
}
