// Requests and answers as values, so that a network and an embedded sandbox can be used alike.

export type HttpMethod = 'DELETE' | 'GET' | 'POST' | 'PUT';

/** How request bodies are written: `json` as the specification says, `form` as the real service documents. */
export type Encoding = 'form' | 'json';

/** One request to the API. `path` begins with a slash and is already encoded; `query` is without the question mark. */
export interface ApiRequest {
  readonly method: HttpMethod;
  readonly path: string;
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | undefined;
}

/** One answer of the API. `body` holds the exact bytes. */
export interface ApiResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Sends one request once and returns its answer, whatever the status; the client does the retrying. */
export type Transport = (request: ApiRequest, options: {readonly signal?: AbortSignal}) => Promise<ApiResponse>;

/** One entry of an error answer. */
export interface ApiErrorEntry {
  readonly code: string;
  readonly detail: string;
  readonly parameter?: string;
}

/** A page of a list: newest first; `has_more` tells whether another page follows in this direction. */
export interface ListEnvelope<Item> {
  readonly resource: 'list';
  readonly has_more: boolean;
  readonly data: readonly Item[];
}

/** What is left of a deleted object. */
export interface Deleted {
  readonly id: string;
  readonly resource: string;
  readonly deleted: true;
}
