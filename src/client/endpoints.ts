// Base URLs that have a name, with the encoding that each documents.

import type {Encoding} from '../api/wire.js';

export const ENDPOINTS: Readonly<Record<string, {readonly baseUrl: string; readonly encoding: Encoding}>> = {
  payrex: {baseUrl: 'https://api.payrexhq.com', encoding: 'form'},
};
