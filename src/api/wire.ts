// Requests and responses as plain values, which the network and the embedded sandbox share.

export type HttpMethod = 'DELETE' | 'GET' | 'POST' | 'PUT';

/** Encoding of request bodies: `json` according to the specification, `form` according to the service's documentation. */
export type Encoding = 'form' | 'json';

/** `path` starts with a slash and is already encoded; `query` has no question mark. */
export interface ApiRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** `body` has the exact bytes received. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Sends a request once, and returns the response, whatever its status. The client does the retries. */
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

/** Response header of a sandbox, whose reads are never stale. The value is `1`. */
export const CONSISTENT_HEADER = 'x-centavo-consistent';
