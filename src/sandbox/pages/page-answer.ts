// Answers requests for hosted pages, which open with the link's secret.

import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {isFileError} from '../../common/system-errors.js';
import {ApiProblem} from '../api-problems.js';
import type {Sandbox} from '../sandbox.js';
import type {Transaction} from '../transaction.js';
import {approvalPage} from './approval.js';
import {checkoutPage} from './checkout.js';
import {endedPage} from './layout.js';
import {targetOf} from './links.js';
import type {PageRequest} from './payment-page.js';
import {setupPage} from './setup.js';
import {statementPage} from './statement.js';

/** @param baseUrl base URL of links to hosted pages @throws ApiProblem for refused requests */
export function pageAnswer(sandbox: Sandbox, request: ApiRequest, baseUrl: string, loadsImages = false): ApiResponse {
  const pageRequest = {...readPageRequest(request), loadsImages};
  const run = pageRequest.method === 'GET' ? sandbox.performRead : sandbox.perform;
  return run((tx) => pageFor(tx, pageRequest), {cause: 'page', baseUrl});
}

export function problemPage(error: unknown): ApiResponse {
  const reason = isFileError(error) && `The sandbox’s file cannot be used. ${error.details.why}`;
  const [status, text] =
    error instanceof ApiProblem ? [error.status, error.message] : [500, reason || 'The sandbox failed.'];
  return endedPage({status, heading: 'This request cannot be handled', text});
}

function pageFor(tx: Transaction, request: PageRequest): ApiResponse {
  const target = targetOf(tx, request.path);
  switch (target?.kind) {
    case 'statement':
      return statementPage(tx, target.record, request);
    case 'session':
      return checkoutPage(tx, target.record, request);
    case 'intent':
      return approvalPage(tx, target.record, request);
    case 'setup':
      return setupPage(tx, target.record, request);
    case undefined:
      return endedPage({
        status: 404,
        heading: 'Page not found',
        text: 'The link may be incomplete, or the page was deleted. Ask the merchant for a new link.',
      });
  }
}

function readPageRequest({method, path, query, headers, body}: ApiRequest): Omit<PageRequest, 'loadsImages'> {
  const verb: string = method;
  const posted = verb === 'POST';
  if (!posted && verb !== 'GET' && verb !== 'HEAD')
    throw new ApiProblem(405, [{code: 'method_not_allowed', detail: 'Only GET and POST requests are supported.'}]);
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (posted && body && type !== 'application/x-www-form-urlencoded')
    throw new ApiProblem(415, [{code: 'request_invalid', detail: 'Only the form on the page can be submitted.'}]);
  return {
    method: posted ? 'POST' : 'GET',
    path,
    query: new URLSearchParams(query),
    form: new URLSearchParams(posted && body ? Buffer.from(body).toString() : ''),
  };
}
