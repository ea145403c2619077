import { isIP } from 'node:net';

/** An IP address, with its bits as one number. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly bits: bigint;
}

const bitsOfFamily = { 4: 32, 6: 128 } as const;

/** Returns the address; null if the text is not one. The zone of an IPv6 address is not part of it. */
export const parseAddress = (text: string): IpAddress | null => {
  const [address = ''] = text.split('%');
  const family = isIP(text) === 6 ? isIP(address) : isIP(text);
  if (family === 4) return { family, bits: parseIpv4(address) };
  return family === 6 ? { family, bits: parseIpv6(address) } : null;
};

const parseIpv4 = (text: string): bigint => text.split('.').reduce((bits, part) => (bits << 8n) | BigInt(part), 0n);

const parseIpv6 = (text: string): bigint => {
  const lastColon = text.lastIndexOf(':');
  const quad = text.slice(lastColon + 1);
  const isDotted = quad.includes('.');
  const groups = isDotted ? `${text.slice(0, lastColon)}:${toGroups(parseIpv4(quad))}` : text;
  const [head = '', tail] = groups.split('::');
  const [first, last] = [splitGroups(head), splitGroups(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].reduce((bits, group) => (bits << 16n) | BigInt(`0x${group}`), 0n);
};

const splitGroups = (text: string): string[] => (text === '' ? [] : text.split(':'));
const toGroups = (bits: bigint): string => `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;

/** A network in CIDR notation (RFC 4632), or a single address. */
export interface Network {
  readonly address: IpAddress;
  readonly prefixBits: number;
}

/** Returns the network; null if the text is not one, or if its address has bits beyond the prefix. */
export const parseNetwork = (text: string): Network | null => {
  const [addressText = '', prefixText, ...rest] = text.split('/');
  const address = addressText.includes('%') ? null : parseAddress(addressText);
  if (!address || rest.length > 0) return null;
  const width = bitsOfFamily[address.family];
  if (prefixText === undefined) return { address, prefixBits: width };
  const prefixBits = /^(0|[1-9]\d{0,2})$/.test(prefixText) ? Number(prefixText) : Infinity;
  if (prefixBits > width) return null;
  const hostBits = BigInt(width - prefixBits);
  return (address.bits >> hostBits) << hostBits === address.bits ? { address, prefixBits } : null;
};

/** Whether one of the networks contains the address. An IPv4 network contains no IPv6 address. */
export const isInside = (networks: readonly Network[], { family, bits }: IpAddress): boolean =>
  networks.some(({ address, prefixBits }) => {
    const hostBits = BigInt(bitsOfFamily[family] - prefixBits);
    return address.family === family && bits >> hostBits === address.bits >> hostBits;
  });
