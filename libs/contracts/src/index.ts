export type * from './contract.ts';
export * from './document-reader-contract.ts';
