// Answers requests for pages, always with a page.

import type {ApiRequest, ApiResponse} from '../../api/wire.js';
import {Problem} from '../problems.js';
import type {Sandbox} from '../sandbox.js';
import type {Transaction} from '../transaction.js';
import {approvalPage} from './approval.js';
import {checkoutPage} from './checkout.js';
import {ending} from './layout.js';
import {targetOf} from './links.js';
import type {PageRequest} from './payment-page.js';
import {statementPage} from './statement.js';

export function answerPage(sandbox: Sandbox, request: ApiRequest): ApiResponse {
  try {
    const page = readPageRequest(request);
    return sandbox.perform((tx) => pageFor(tx, page));
  } catch (error) {
    return problemPage(error);
  }
}

export function problemPage(error: unknown): ApiResponse {
  if (error instanceof Problem) return refusedPage(error.status, error.message);
  return refusedPage(500, 'The sandbox failed.');
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
    case undefined:
      return notFoundPage();
  }
}

function readPageRequest({method, path, query, headers, body}: ApiRequest): PageRequest {
  const verb: string = method;
  const posted = verb === 'POST';
  if (!posted && verb !== 'GET' && verb !== 'HEAD')
    throw new Problem(405, [{code: 'method_not_allowed', detail: 'Only GET and POST requests are supported.'}]);
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (posted && body && type !== 'application/x-www-form-urlencoded')
    throw new Problem(415, [{code: 'request_invalid', detail: 'Only the form on the page can be submitted.'}]);
  return {
    method: posted ? 'POST' : 'GET',
    path,
    query: new URLSearchParams(query),
    form: new URLSearchParams(posted && body ? Buffer.from(body).toString() : ''),
  };
}

const notFoundPage = (): ApiResponse =>
  ending({
    status: 404,
    heading: 'Page not found',
    words: 'The link may be incomplete, or the page was deleted. Ask the merchant for a new link.',
  });

const refusedPage = (status: number, detail: string): ApiResponse =>
  ending({status, heading: 'This request cannot be handled', words: detail});
