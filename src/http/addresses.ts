// Checks the addresses of requests. Metadata services are forbidden, because they return credentials to any client.

import {lookup as lookUp, type LookupAddress} from 'node:dns';
import {BlockList, isIP, type LookupFunction} from 'node:net';
import {systemError} from '../common/system-errors.js';

/** Returns a list that is created at its first use, because most commands need no list. */
function addressList(fill: (list: BlockList) => void): () => BlockList {
  let made: BlockList | undefined;
  return () => {
    if (made === undefined) fill((made = new BlockList()));
    return made;
  };
}

const loopback = addressList((list) => {
  list.addSubnet('127.0.0.0', 8);
  list.addAddress('::1', 'ipv6');
});

const forbidden = addressList((list) => {
  list.addSubnet('0.0.0.0', 8);
  list.addSubnet('169.254.0.0', 16);
  list.addSubnet('224.0.0.0', 3);
  // Cloud metadata services at addresses that are not link-local.
  for (const address of ['100.100.100.200', '168.63.129.16', '192.0.0.192']) list.addAddress(address);
  list.addAddress('fd00:ec2::254', 'ipv6');
  list.addSubnet('fe80::', 10, 'ipv6');
  list.addSubnet('ff00::', 8, 'ipv6');
});

/** IPv6 addresses that contain an IPv4 address in another spelling. */
const embedsIpv4 = addressList((list) => {
  list.addSubnet('64:ff9b::', 96, 'ipv6');
  list.addSubnet('2002::', 16, 'ipv6');
});
const WRITTEN_IN_IPV6 = /^::(?!1$)/;

const METADATA_NAMES = new Set(['instance-data', 'metadata', 'metadata.google.internal', 'metadata.goog']);

const hostName = (host: string): string => host.replace(/^\[(.*)\]$/, '$1').toLowerCase();

/** @param host a name or an address, as `URL.hostname` writes it */
export function isLoopbackHost(host: string): boolean {
  const name = hostName(host);
  return name === 'localhost' || isLoopbackAddress(name);
}

export const isLoopbackAddress = (address: string): boolean => {
  const version = isIP(address);
  // BlockList reads ::ffff:127.0.0.1 as 127.0.0.1.
  return version !== 0 && !address.includes('ffff:') && loopback().check(address, version === 6 ? 'ipv6' : 'ipv4');
};

/** @param address the address of a socket; a dual-stack server writes IPv4 addresses in IPv6 form */
export const isThisMachine = (address = ''): boolean => isLoopbackAddress(address.replace(/^::ffff:(?=\d+\.)/, ''));

/** @param host a name or an address, as `URL.hostname` writes it, or as a resolver returns it */
export function isForbiddenHost(host: string): boolean {
  const name = hostName(host);
  if (METADATA_NAMES.has(name.replace(/\.$/, ''))) return true;
  const version = isIP(name);
  if (version === 4) return forbidden().check(name);
  return (
    version === 6 && (WRITTEN_IN_IPV6.test(name) || embedsIpv4().check(name, 'ipv6') || forbidden().check(name, 'ipv6'))
  );
}

/** Returns a `dns.lookup` of allowed addresses only. Without an allowed address, the error has the code `EUNSAFE`. */
const lookupOf =
  (allowed: (hostname: string, address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookUp(hostname, {...options, all: true}, (error, addresses: LookupAddress[]) => {
      if (error) return callback(error, '');
      const permitted = addresses.filter(({address}) => allowed(hostname, address));
      const [first] = permitted;
      if (!first) return callback(systemError('EUNSAFE'), '');
      return options.all ? callback(null, permitted) : callback(null, first.address, first.family);
    });
  };

/** For a target that the user chose. localhost must be this machine; no name may resolve to a forbidden address. */
export const guardedLookup = lookupOf((hostname, address) =>
  isLoopbackHost(hostname) ? isLoopbackAddress(address) : !isForbiddenHost(address),
);

export const loopbackLookup = lookupOf((_, address) => isLoopbackAddress(address));
