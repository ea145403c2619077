export { metadataServicesIn } from './address-policy.ts';
export * from './egress.ts';
export { egressLimits, type EgressLimits } from './limits.ts';
export type { Lookup } from './lookup.ts';
export { parseNetworks } from './networks.ts';
export { allowsPlainHost } from './plain-hosts.ts';
