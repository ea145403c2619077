import { isIP } from 'node:net';

/**
 * Whether a host is this machine (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). An IPv6 address may be in
 * brackets.
 */
export const isLoopback = (host: string): boolean => {
  const name = host.toLowerCase();
  return name === 'localhost' || name === '::1' || name === '[::1]' || (isIP(name) === 4 && name.startsWith('127.'));
};
