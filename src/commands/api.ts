// `centavo api GET /customers`: sends any request to the API.

import {operationAt, type RegisteredOperation} from '../api/registry.js';
import type {ApiResponse, HttpMethod} from '../api/wire.js';
import {BaseCommand, CHANGE_EXITS} from '../cli/base.js';
import {printRequests} from '../cli/dry-run.js';
import * as schema from '../cli/schema.js';
import {suggestNextPage} from '../cli/lists/suggest-next-page.js';
import {checkRequest, withSuggestion} from '../cli/next-command.js';
import {accountArgs} from '../cli/next-steps.js';
import {displayedValue} from '../cli/presentation/results.js';
import {Args, Flags, repeatable} from '../cli/oclif.js';
import {allowOwedFlag} from '../cli/operations/flags.js';
import {readDataFlag} from '../cli/operations/params.js';
import {recordCreated} from '../cli/operations/perform.js';
import {CentavoError, usageError} from '../common/errors.js';
import {readJson} from '../common/json.js';
import {changeOf, changeOfRequest} from '../guard/change.js';
import {guardChange, guardConnection} from '../guard/guard.js';
import {quote} from '../input/money.js';
import {kindOfName} from '../output/format.js';

const HTTP_METHODS = ['GET', 'POST', 'PUT', 'DELETE'];

export class ApiCommand extends BaseCommand {
  static override summary = 'Make an authenticated API request.';
  static override description =
    'centavo adds your key and prints the response as the API returns it. Parameters are sent in the query of a GET or DELETE, and in the body of a POST or PUT.';
  static override examples = [
    '<%= config.bin %> api GET /customers -d limit=3',
    '<%= config.bin %> api POST /customers -d name="Juan Dela Cruz" -d email=juan@example.com -d currency=PHP',
    "<%= config.bin %> api GET /customers --jq '.data[].email'",
  ];
  static override args = {
    method: Args.string({description: 'GET, POST, PUT or DELETE.'}),
    path: Args.string({description: 'Path of the request, such as /customers.'}),
  };
  static override flags = {
    ...allowOwedFlag,
    data: Flags.string({
      char: 'd',
      summary: 'Add a parameter: key=value, key[sub]=value, @file.json, or - for stdin.',
      helpValue: '<key=value>',
      ...repeatable,
    }),
  };
  static risk = 'moves_money' as const;
  static exits = CHANGE_EXITS;
  static output = () => schema.anything;

  async run(): Promise<void> {
    const {flags, args} = await this.read(ApiCommand);
    const {context} = this;
    const method = httpMethodOf(args.method);
    const path = pathOf(args.path);
    const params = await readDataFlag(context, flags.data);
    const route = operationAt(method, path);
    const acceptsPublicKey = route !== undefined && takesSecret(route.registered, params);
    const connection = await context.connection({acceptsPublicKey});
    guardConnection(connection, route?.registered.id);
    if (flags['dry-run'] || method !== 'GET') {
      // Refuse an invalid request before asking or recording anything.
      const request = (await context.requestBuilder()).rawRequest(method, path, params);
      if (flags['dry-run']) return printRequests(context, this.requestForm, [request]);
    }
    const suggest = route ? withSuggestion(context, {...route, params}) : suggestCheck(path, accountArgs(context));
    if (method !== 'GET') {
      const change = route
        ? changeOf(context, route.registered, [route.ids], params, `${method} ${path}`)
        : changeOfRequest(`${method} ${path}`, params);
      const isCustomer = route?.registered.id === 'customers:delete';
      const {guardDebtors} = await import('../cli/operations/customer-changes.js');
      const guarded = isCustomer ? await guardDebtors(context, flags, change, route.ids) : change;
      await guardChange(context, flags, guarded).catch(suggest);
    }
    const client = await context.client();
    const isSend = route?.registered.id === 'billing-statements:send';
    const endSend = isSend ? await (await context.runs()).noteSend(route.ids[0]!) : undefined;
    const response = await client.raw(method, path, params, {signal: context.signal}).catch(suggest);
    endSend?.('sent');
    return this.show(method, response, params.before !== undefined);
  }

  private async show(method: HttpMethod, response: ApiResponse, backwards: boolean): Promise<void> {
    const text = Buffer.from(response.body).toString('utf8');
    if (text === '') {
      this.context.io.note(`HTTP ${response.status}, an empty response.`);
      return;
    }
    const document = readJson(text);
    if (method !== 'GET') await recordCreated(this.context, document);
    // JSON by default, because the columns of an arbitrary response are unknown.
    if (this.rendering.format === undefined && !this.rendering.fields) this.globals = {...this.globals, json: true};
    const {data, has_more: hasMore} = (document ?? {}) as {data?: unknown; has_more?: unknown};
    const rows = (Array.isArray(data) ? data : [document]) as Record<string, unknown>[];
    const columns = Object.keys(rows[0] ?? {}).map((path) => ({path, header: path, kind: kindOfName(path)}));
    const shape = Array.isArray(data) ? ('many' as const) : ('one' as const);
    const result = {rows, shown: rows.map(displayedValue), document, columns, all: columns, shape, unchanged: true};
    await (method === 'GET' ? this.print(result) : this.printDone(result));
    const last = rows.at(backwards ? 0 : -1)?.id;
    // If a parameter is given twice, the last value wins: the new cursor replaces the old one.
    const {rendering, context} = this;
    const added = ['-d', `${backwards ? 'before' : 'after'}=${String(last)}`];
    if (hasMore === true && last !== undefined)
      suggestNextPage({io: context.io, rendering}, ['api', ...this.argv], /(?!)/, added);
  }
}

/** Adds a check of the path, for a request of unknown outcome outside the contract. */
const suggestCheck =
  (path: string, account: readonly string[]) =>
  (error: unknown): never => {
    if (!(error instanceof CentavoError) || error.details.applied !== 'unknown' || error.details.hint) throw error;
    throw error.with({next: [checkRequest(path, account)]});
  };

/** True if a client secret is given: a public key is then enough. */
const takesSecret = ({operation}: RegisteredOperation, params: Readonly<Record<string, unknown>>): boolean =>
  Object.entries(operation.params).some(([name, {kind}]) => kind === 'secret' && params[name] !== undefined);

function httpMethodOf(text: string | undefined): HttpMethod {
  const method = text?.toUpperCase();
  if (method && HTTP_METHODS.includes(method)) return method as HttpMethod;
  throw usageError(
    'invalid_method',
    text === undefined ? 'the method is missing.' : `${quote(text)} is not an HTTP method of the API.`,
    {hint: 'For example: centavo api GET /customers'},
  );
}

/** @throws usage error for a path with a host, query or `..` */
function pathOf(text: string | undefined): string {
  if (text === undefined)
    throw usageError('invalid_path', 'the path is missing.', {hint: 'For example: centavo api GET /customers'});
  const path = text.startsWith('/') ? text : `/${text}`;
  if (
    text === '' ||
    /^[a-z][\w+.-]*:/i.test(text) ||
    path.startsWith('//') ||
    /[?#\\]|[^!-~]|%2f|%5c/i.test(path) ||
    /(^|\/)(\.|%2e){1,2}(\/|$)/i.test(path)
  ) {
    throw usageError('invalid_path', `${quote(text)} is not an API path.`, {
      why: 'A path starts with a slash, and has no host, no query, no .. and no special characters.',
      hint: 'To add parameters: -d key=value',
    });
  }
  return path;
}
