import { isInside, parseNetwork, type IpAddress, type Network } from './ip-address.ts';

/** Returns the networks of a table, whose texts are valid. */
export const networksOf = (...texts: readonly string[]): readonly Network[] =>
  texts.map((text) => {
    const network = parseNetwork(text);
    if (!network) throw new Error(`"${text}" is not a network`);
    return network;
  });

const mapped = networksOf('::ffff:0:0/96');
const isatapIdentifiers = [0x0000_5efen, 0x0200_5efen];
const ipv4Max = 0xffff_ffffn;

/** The number of bits after the IPv4 address in each form. Teredo inverts the client's address. */
const forms: readonly {
  readonly networks: readonly Network[];
  readonly shift: bigint;
  readonly isInverted?: true;
}[] = [
  // mapped and translated (RFC 4291, section 2.5.5.2; RFC 2765), and NAT64 with its well-known prefix (RFC 6052)
  { networks: networksOf('::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96'), shift: 0n },
  // NAT64 with a local prefix of 96 bits (RFC 8215)
  { networks: networksOf('64:ff9b:1::/48'), shift: 0n },
  // 6to4 (RFC 3056)
  { networks: networksOf('2002::/16'), shift: 80n },
  // Teredo's server and client (RFC 4380)
  { networks: networksOf('2001::/32'), shift: 64n },
  { networks: networksOf('2001::/32'), shift: 0n, isInverted: true },
];

/** The other places of the IPv4 address after a local NAT64 prefix of 48, 56 or 64 bits (RFC 6052, section 2.2). */
const splitPlaces: readonly (readonly [high: bigint, low: bigint, lowBits: bigint])[] = [
  [64n, 40n, 16n],
  [64n, 32n, 24n],
  [24n, 24n, 32n],
];
const localNat64 = networksOf('64:ff9b:1::/48');

/** Whether the address is the IPv6 notation of an IPv4 address: the connection itself uses IPv4. */
export const isMapped = (address: IpAddress): boolean => isInside(mapped, address);

/** Returns the IPv4 addresses that the address leads to, if a translator or tunnel is on the way. */
export const findEmbeddedAddresses = (address: IpAddress): readonly IpAddress[] => {
  if (address.family === 4) return [];
  const { bits } = address;
  const embeddedBits = forms
    .filter(({ networks }) => isInside(networks, address))
    .map(({ shift, isInverted }) => (bits >> shift) ^ (isInverted ? ipv4Max : 0n));
  // IPv4-compatible (RFC 4291, section 2.5.5.1), except the unspecified address and loopback
  if (bits >> 32n === 0n && bits > 1n) embeddedBits.push(bits);
  // ISATAP (RFC 5214, section 6.1)
  if (isatapIdentifiers.includes((bits >> 32n) & ipv4Max)) embeddedBits.push(bits);
  return embeddedBits.map((candidate) => ({ family: 4, bits: candidate & ipv4Max }));
};

/** Returns further IPv4 addresses that the address may lead to, depending on the translator's configuration. */
export const findPossibleAddresses = (address: IpAddress): readonly IpAddress[] =>
  isInside(localNat64, address)
    ? splitPlaces.map(([high, low, lowBits]) => {
        const lowMask = (1n << lowBits) - 1n;
        const highBits = (address.bits >> high) & (ipv4Max >> lowBits);
        return { family: 4, bits: ((highBits << lowBits) | ((address.bits >> low) & lowMask)) & ipv4Max };
      })
    : [];
