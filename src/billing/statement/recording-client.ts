// A client that sends nothing: it records the requests of a run, and answers like a service that accepts everything.
// A dry run is the same run with this client, so that it shows exactly what would be sent.

import type {OperationCall} from '../../api/operation.js';
import type {ApiRequest} from '../../api/wire.js';
import {clientOver, type Client} from '../../client/client.js';

/** Ids of objects that would be created; ids of the service are longer. */
const FUTURE_CUSTOMER = 'cus_new';
const FUTURE_STATEMENT = 'bstm_new';

type RecordedAnswer = Readonly<Record<string, unknown>>;

const NEW: RecordedAnswer = {
  id: FUTURE_STATEMENT,
  resource: 'billing_statement',
  status: 'draft',
  line_items: [],
  due_at: null,
  // They are sent back with the due time; only the service knows their values.
  payment_settings: {payment_methods: ['…']},
};

class Service {
  readonly #existing: readonly RecordedAnswer[];
  readonly #statements: Map<unknown, RecordedAnswer>;

  constructor(existing: readonly RecordedAnswer[]) {
    this.#existing = existing;
    this.#statements = new Map(existing.map((statement) => [statement.id, statement]));
  }

  answer({resource, verb, ids: [id], params}: OperationCall): unknown {
    switch (`${resource.topic} ${verb}`) {
      case 'customers list':
        return {resource: 'list', has_more: false, data: [{...params, id: FUTURE_CUSTOMER}]};
      case 'customers create':
        return {...params, id: FUTURE_CUSTOMER};
      case 'billing-statements list':
        return {resource: 'list', has_more: false, data: this.#existing};
      case 'billing-statements create':
        return this.#change(FUTURE_STATEMENT, params);
      case 'billing-statements get':
        return this.#change(id, {});
      case 'billing-statements update':
        return this.#change(id, params);
      case 'billing-statements finalize':
        return this.#change(id, {status: 'open'});
      case 'billing-statements void':
        return this.#change(id, {status: 'void'});
      case 'billing-statements delete':
        return {id, deleted: true};
      case 'billing-statement-line-items create':
        return this.#addItem(params);
      case 'billing-statement-line-items update':
        return this.#changeItem(id, params);
      case 'billing-statement-line-items delete':
        return this.#changeItem(id);
      default:
        return undefined;
    }
  }

  #change(id: unknown, change: RecordedAnswer): RecordedAnswer {
    const after = {...(this.#statements.get(id) ?? {...NEW, id}), ...change};
    this.#statements.set(id, after);
    return after;
  }

  #addItem(item: RecordedAnswer): RecordedAnswer {
    const {id, line_items: items} = this.#change(item.billing_statement_id, {});
    const added = {...item, id: `bstm_li_new${(items as RecordedAnswer[]).length + 1}`};
    this.#change(id, {line_items: [...(items as RecordedAnswer[]), added]});
    return added;
  }

  /** Changes an item, or takes it out. */
  #changeItem(id: unknown, change?: RecordedAnswer): RecordedAnswer {
    for (const {id: holder, line_items: items} of this.#statements.values()) {
      const found = (items as RecordedAnswer[]).find((item) => item.id === id);
      if (!found) continue;
      const after = {...found, ...change};
      const left = (items as RecordedAnswer[]).flatMap((item) => (item !== found ? [item] : change ? [after] : []));
      this.#change(holder, {line_items: left});
      return after;
    }
    return {id};
  }
}

/** @param client builds the requests; nothing is sent with it @param existing statements that were read, the newest first */
export function recordingClient(
  client: Client,
  existing: readonly RecordedAnswer[] = [],
): {readonly client: Client; readonly requests: readonly ApiRequest[]} {
  const requests: ApiRequest[] = [];
  const service = new Service(existing);
  const record = async (call: OperationCall): Promise<unknown> => {
    requests.push(client.requestOf(call));
    return service.answer(call);
  };
  return {requests, client: clientOver(client, record)};
}
