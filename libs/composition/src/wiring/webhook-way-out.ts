// A file of its own, so that the adapter is loaded only for the first event.
export { allowsPlainHost, createEgress } from '@portico/egress';
