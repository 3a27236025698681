// Requests and responses as values, so that the network and the embedded sandbox are used alike.

export type HttpMethod = 'DELETE' | 'GET' | 'POST' | 'PUT';

/** Encoding of request bodies: `json` by the specification, `form` by the real service's documentation. */
export type Encoding = 'form' | 'json';

/** `path` begins with a slash and is already encoded; `query` is without the question mark. */
export interface ApiRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** `body` holds the exact bytes. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Sends the request once and returns the response, whatever its status; the client retries. */
export type Transport = (request: ApiRequest, options: {readonly signal?: AbortSignal}) => Promise<ApiResponse>;

export interface ApiErrorEntry {
  readonly code: string;
  readonly detail: string;
  readonly parameter?: string;
}

/** Newest first; `has_more` is true if another page follows in this direction. */
export interface ListEnvelope<Item> {
  readonly resource: 'list';
  readonly has_more: boolean;
  readonly data: readonly Item[];
}

export interface Deleted {
  readonly id: string;
  readonly resource: string;
  readonly deleted: true;
}

/** The response header, `1`, of a sandbox whose reads are never out of date. */
export const CONSISTENT_HEADER = 'x-centavo-consistent';
