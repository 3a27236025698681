// Base URLs that have a name, with the encoding that each documents.

import type {Encoding} from '../api/wire.js';

export const ENDPOINTS: Readonly<Record<string, {readonly baseUrl: string; readonly encoding: Encoding}>> = {
  payrex: {baseUrl: 'https://api.payrexhq.com', encoding: 'form'},
  // Where `sandbox serve` listens unless it is told otherwise.
  sandbox: {baseUrl: 'http://127.0.0.1:4010', encoding: 'json'},
};
