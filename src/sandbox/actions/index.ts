// The actions of every resource, by topic. A test holds this against the contract: no operation without an action.

import type {Actions} from './action.js';
import {customers} from './customers.js';

export const actions: Readonly<Record<string, Actions>> = {
  customers,
};
