import { findEmbeddedAddresses, findPossibleAddresses, isMapped, networksOf } from './embedded-addresses.ts';
import { isInside, parseAddress, type IpAddress } from './ip-address.ts';

/** Servers that give credentials to every process of a machine. No configuration allows them. */
const metadataAddresses = [
  '169.254.169.254', // AWS, Azure, Google Cloud, OpenStack and others
  '169.254.170.2', // AWS ECS
  '169.254.170.23', // AWS EKS
  '100.100.100.200', // Alibaba Cloud
  '168.63.129.16', // Azure's host
  '192.0.0.192', // Oracle Cloud
  'fd00:ec2::254', // AWS
  'fd00:ec2::23', // AWS EKS
  'fd20:ce::254', // Google Cloud
];
const metadataServices = networksOf(...metadataAddresses);

/** Returns the metadata services in a network, such as `169.254.0.0/16`, which stay refused if it is allowed. */
export const metadataServicesIn = (network: string): readonly string[] =>
  metadataAddresses.filter((text) => {
    const address = parseAddress(text);
    return address !== null && isInside(networksOf(network), address);
  });

/** IANA's registries of addresses with a special purpose (RFC 6890). */
const notPublic = networksOf(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
);
const globalUnicast = networksOf('2000::/3');

/** Why an address is refused; `plain` is an allowed public address, without TLS. */
export type Refusal = 'metadata' | 'private' | 'plain';

/** Decides whether a connection to an address is allowed. Returns null if it is. */
export type AddressPolicy = (addressText: string, hasTls: boolean) => Refusal | null;

/**
 * Creates the policy. Public addresses are allowed with TLS, and the addresses in `networks` with or without.
 *
 * An IPv6 address that contains an IPv4 address is allowed only if its own network is named, and the IPv4 address is
 * public or in a named network. The mapped form is the IPv4 address itself, so that naming its IPv4 network is enough.
 */
export const createAddressPolicy = (networkTexts: readonly string[]): AddressPolicy => {
  const networks = networksOf(...networkTexts);
  const isReachable = (address: IpAddress): boolean => isPublic(address) || isInside(networks, address);
  return (addressText, hasTls) => {
    const address = parseAddress(addressText);
    if (!address) return 'private';
    const embeddedAddresses = findEmbeddedAddresses(address);
    const isMetadata = [address, ...embeddedAddresses, ...findPossibleAddresses(address)].some((form) =>
      isInside(metadataServices, form),
    );
    if (isMetadata) return 'metadata';
    if (isMapped(address) && embeddedAddresses.every((form) => isInside(networks, form))) return null;
    if (!embeddedAddresses.every(isReachable)) return 'private';
    if (isInside(networks, address)) return null;
    if (!isPublic(address)) return 'private';
    return hasTls ? null : 'plain';
  };
};

const isPublic = (address: IpAddress): boolean =>
  (address.family === 4 || isInside(globalUnicast, address)) && !isInside(notPublic, address);
