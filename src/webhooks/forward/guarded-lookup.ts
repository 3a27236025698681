// Looking up the name of a target: whatever it stands for now, it never leads to where nothing is sent.

import {lookup as lookUp, type LookupAddress} from 'node:dns';
import type {LookupFunction} from 'node:net';
import {isForbiddenHost, isLoopbackAddress, isLoopbackHost} from './addresses.js';

/** As `dns.lookup` without the addresses that are not allowed; an error with the code `EUNSAFE` when none is left. */
export const lookupOf =
  (allowed: (hostname: string, address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookUp(hostname, {...options, all: true}, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const left = addresses.filter(({address}) => allowed(hostname, address));
      const [first] = left;
      if (!first) {
        const unsafe = Object.assign(new Error(`${hostname} leads to an address that is never sent to`), {
          code: 'EUNSAFE',
        });
        return callback(unsafe, '');
      }
      return options.all ? callback(null, left) : callback(null, first.address, first.family);
    });
  };

/** For where a person says to send to: this machine when its name is meant, and never what gives away credentials. */
export const guardedLookup = lookupOf((hostname, address) =>
  isLoopbackHost(hostname) ? isLoopbackAddress(address) : !isForbiddenHost(address),
);
