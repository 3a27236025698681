// Pages on which there is nothing to pay: not there, not ready, no longer open, not allowed.

import type {ApiResponse} from '../../api/wire.js';
import {pageResponse} from './layout.js';
import {html, type Html, type Part} from './markup.js';

export interface Ending {
  readonly status: number;
  readonly heading: string;
  readonly words: Part;
  /** Where one may go from here. */
  readonly back?: {readonly href: string; readonly label: Part};
  readonly more?: Html;
}

export function ending({status, heading, words, back, more}: Ending): ApiResponse {
  const main = html`<div class="narrow sheet">
    <h1 class="plain">${heading}</h1>
    <p>${words}</p>
    ${more} ${back ? html`<p><a href="${back.href}">${back.label}</a></p>` : ''}
  </div>`;
  return pageResponse({status, title: heading, main});
}

/** The same for a wrong secret as for what never was: a link tells nothing to those who guess. */
export const notFoundPage = (): ApiResponse =>
  ending({
    status: 404,
    heading: 'There is nothing at this address',
    words: 'The link may be incomplete, or what it led to was deleted. Ask the merchant for the link again.',
  });

/** For what the server refuses before a page is asked. */
export const refusedPage = (status: number, detail: string): ApiResponse =>
  ending({status, heading: 'This cannot be answered', words: detail});
