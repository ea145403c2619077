export * from './system-chance.ts';
export * from './system-clock.ts';
export { ensureFile, readIfPresent } from './ensure-file.ts';
