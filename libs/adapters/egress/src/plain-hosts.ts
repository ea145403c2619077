import { createAddressPolicy } from './address-policy.ts';
import { parseAddress } from './ip-address.ts';

/**
 * Returns whether a URL without TLS may name this host: an address that the networks allow, or any name if there is a
 * network, because its addresses are checked for each connection. The host is that of a parsed URL.
 */
export const allowsPlainHost = (networks: readonly string[], hostname: string): boolean => {
  if (networks.length === 0) return false;
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  return parseAddress(address) === null || createAddressPolicy(networks)(address, false) === null;
};
