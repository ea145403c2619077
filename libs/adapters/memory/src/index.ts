export { createMemoryDatabase } from './memory-database.ts';
export * from './memory-stores.ts';
export * from './memory-clock.ts';
export * from './memory-random-source.ts';
export * from './memory-mailer.ts';
