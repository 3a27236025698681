// One field of a form of the pages: its label, its input, and what is wrong with what was typed.

import {html, type Html} from './markup.js';

export interface FieldInput {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  /** What is wrong with it. */
  readonly fault: string | undefined;
  /** Further attributes of the input. */
  readonly attributes: Html;
}

export function inputField({name, label, value, fault, attributes}: FieldInput): Html {
  const state = fault ? html`aria-invalid="true" aria-describedby="${name}-fault"` : '';
  return html`<div class="field">
    <label for="${name}">${label}</label>
    <input id="${name}" name="${name}" value="${value}" autocomplete="off" ${attributes} ${state} />
    ${fault ? html`<p class="wrong" id="${name}-fault">${fault}</p>` : ''}
  </div>`;
}
