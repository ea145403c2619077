export * from './system-random-source.ts';
export * from './system-clock.ts';
export { ensureFile, readIfPresent } from './ensure-file.ts';
