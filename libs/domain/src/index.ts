export * from './errors.ts';
export * from './ids.ts';
export * from './instant.ts';
export type * from './json.ts';
export * from './ports/index.ts';
