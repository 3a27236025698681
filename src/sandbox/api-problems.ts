// Errors in the API's format: an HTTP status and `{errors: [{code, detail, parameter}]}`.

import type {ApiErrorEntry} from '../api/wire.js';

/** An error that rolls the transaction back and becomes the response. */
export class ApiProblem extends Error {
  constructor(
    readonly status: number,
    readonly errors: readonly ApiErrorEntry[],
  ) {
    super(errors[0]?.detail ?? `HTTP ${status}`);
  }
}

export const invalid = (code: string, detail: string, parameter?: string): ApiProblem =>
  new ApiProblem(400, [{code, detail, ...(parameter !== undefined && {parameter})}]);

export const required = (parameter: string): ApiProblem =>
  invalid('parameter_required', `The value for ${parameter} cannot be blank.`, parameter);

export const invalidParameter = (parameter: string, detail: string): ApiProblem =>
  invalid('parameter_invalid', detail, parameter);

export const aboveMaximum = (parameter: string, maximum: number): ApiProblem =>
  invalid('parameter_above_maximum', `The value for ${parameter} cannot be more than ${maximum}.`, parameter);

/** The error code is from client fixtures; no source shows the service's own code. */
export const invalidState = (detail: string): ApiProblem => invalid('resource_invalid_state', detail);

export const notFound = (title: string, id: string): ApiProblem =>
  new ApiProblem(404, [
    {code: 'resource_not_found', detail: `${title[0]!.toUpperCase()}${title.slice(1)} with id ${id} does not exist.`},
  ]);

export const noRoute = (method: string, path: string): ApiProblem =>
  new ApiProblem(404, [{code: 'route_not_found', detail: `Request URL (${method}: ${path}) does not exist.`}]);

export const unauthorized = (detail: string): ApiProblem => new ApiProblem(401, [{code: 'auth_invalid', detail}]);
