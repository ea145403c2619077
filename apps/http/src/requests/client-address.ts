import { BlockList, isIP, isIPv6, SocketAddress } from 'node:net';
import type { TrustedProxies } from '../settings.ts';

/** Returns the key for counting a request, from the socket's address and the `X-Forwarded-For` header. */
export type ReadClientAddress = (socketAddress: string | undefined, forwardedFor: string | undefined) => string;

/**
 * Creates a reader of client addresses: the socket's address or, if that is a trusted proxy, the right-most entry of
 * `X-Forwarded-For` that is not a trusted proxy. IPv6 addresses are counted by /64 network, IPv4-mapped ones as IPv4.
 * Throws `RangeError` for a proxy that is neither an address nor a CIDR range. Does not use `proxy-addr`, which treats
 * an entry that is not an address, or that has a port, as a separate client: a client could evade every limit by
 * sending a new entry each time.
 */
export const createClientAddressReader = (trustedProxies: TrustedProxies): ReadClientAddress => {
  const isTrusted = trustOf(trustedProxies);
  if (!isTrusted) return (socketAddress) => rateLimitKeyOf(toCanonicalAddress(socketAddress ?? '') ?? '');
  return (socketAddress, forwardedFor) => {
    const hops = (forwardedFor ?? '').split(',').reverse();
    let address = toCanonicalAddress(socketAddress ?? '');
    for (let hop = 0; address && hop < hops.length && isTrusted(address, hop); hop++) {
      const next = toCanonicalAddress(hops[hop] ?? '');
      // This entry is not an address, so the proxy that forwarded it is the last known hop.
      if (!next) break;
      address = next;
    }
    return rateLimitKeyOf(address ?? '');
  };
};

/**
 * Creates a function that returns whether a request's `X-Forwarded-` fields are trusted, based on its socket's address.
 */
export const createProxyTrust = (trustedProxies: TrustedProxies): ((socketAddress: string | undefined) => boolean) => {
  const isTrusted = trustOf(trustedProxies);
  return (socketAddress) => {
    const address = toCanonicalAddress(socketAddress ?? '');
    return isTrusted !== null && address !== null && isTrusted(address, 0);
  };
};

type Trust = (address: string, hop: number) => boolean;

const trustOf = (trustedProxies: TrustedProxies): Trust | null => {
  if (trustedProxies === null || trustedProxies === 0) return null;
  if (typeof trustedProxies === 'number') return (_address, hop) => hop < trustedProxies;
  const ranges = new BlockList();
  for (const range of trustedProxies) addRange(ranges, range);
  return (address) => ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
};

const addRange = (ranges: BlockList, range: string): void => {
  const [network = '', bits] = range.split('/');
  const version = isIP(network);
  const prefix = bits === undefined ? (version === 6 ? 128 : 32) : Number(bits);
  if (version === 0 || !/^\d+$/.test(bits ?? '0') || prefix > (version === 6 ? 128 : 32)) {
    throw new RangeError(`${range} is neither an address nor a CIDR range`);
  }
  ranges.addSubnet(network, prefix, version === 6 ? 'ipv6' : 'ipv4');
};

/** Returns the canonical address, without brackets, port or zone; null if the text is not an address. */
const toCanonicalAddress = (text: string): string | null => {
  const trimmed = text.trim();
  const host = /^\[([^\]]+)\](?::\d+)?$/.exec(trimmed)?.[1] ?? /^([\d.]+):\d+$/.exec(trimmed)?.[1] ?? trimmed;
  const address = host.replace(/%.*$/, '');
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return null;
  const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(canonical)?.[1] ?? canonical;
};

const rateLimitKeyOf = (address: string): string => {
  if (!isIPv6(address)) return address;
  const [head = '', tail] = address.split('::');
  const leadingGroups = head === '' ? [] : head.split(':');
  const trailingGroups = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups =
    tail === undefined
      ? leadingGroups
      : [
          ...leadingGroups,
          ...Array<string>(8 - leadingGroups.length - trailingGroups.length).fill('0'),
          ...trailingGroups,
        ];
  return `${groups.slice(0, 4).join(':')}::/64`;
};
