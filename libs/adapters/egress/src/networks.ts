import { parseNetwork } from './ip-address.ts';

/**
 * Returns the networks in a text, such as `10.20.0.0/16, fd12:3456::/32, 192.168.1.7`. Throws a `RangeError` that names
 * the first invalid one.
 */
export const parseNetworks = (text: string): readonly string[] => {
  const networks = text.split(/[\s,]+/).filter((part) => part !== '');
  const invalidNetwork = networks.find((network) => !parseNetwork(network));
  if (invalidNetwork !== undefined) {
    throw new RangeError(
      `"${invalidNetwork}" is not a network: write an IPv4 or IPv6 address, alone or with the length of its prefix ` +
        `and zeros after the prefix, such as 10.20.0.0/16 or fd12:3456::/32`,
    );
  }
  return networks;
};
