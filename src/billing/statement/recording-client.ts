// A client for dry runs: it sends nothing, records the requests, and answers like an API that accepts everything.
// A dry run is a normal run with this client, so it shows exactly the requests that would be sent.

import type {OperationCall} from '../../api/operation.js';
import type {ApiRequest} from '../../api/wire.js';
import {clientOver, type Client} from '../../client/client.js';

/** Ids of objects that would be created; the API's ids are longer. */
const FUTURE_CUSTOMER = 'cus_new';
const FUTURE_STATEMENT = 'bstm_new';

type RecordedAnswer = Readonly<Record<string, unknown>>;

const NEW: RecordedAnswer = {
  id: FUTURE_STATEMENT,
  resource: 'billing_statement',
  status: 'draft',
  line_items: [],
  due_at: null,
  // The update with the due time sends the settings back. Only the API knows the real values.
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

  /** Changes an item; without `change`, removes the item. */
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

/** @param client builds the requests, and sends none @param existing statements already read, newest first */
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
