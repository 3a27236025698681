// Looking up the name of a target: whatever it stands for now, it never leads to where nothing is sent.

import {lookup as lookUp, type LookupAddress} from 'node:dns';
import type {LookupFunction} from 'node:net';
import {isForbiddenHost, isLoopbackAddress, isLoopbackHost} from './addresses.js';

/** As `dns.lookup`; an error with the code `EUNSAFE` when there is no address that may be sent to. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookUp(hostname, {...options, all: true}, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, '');
    const allowed = addresses.filter(({address}) =>
      isLoopbackHost(hostname) ? isLoopbackAddress(address) : !isForbiddenHost(address),
    );
    const [first] = allowed;
    if (!first) {
      const unsafe = Object.assign(new Error(`${hostname} leads to an address that is never sent to`), {
        code: 'EUNSAFE',
      });
      return callback(unsafe, '');
    }
    return options.all ? callback(null, allowed) : callback(null, first.address, first.family);
  });
};
