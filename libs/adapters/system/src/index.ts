export * from './system-chance.ts';
export * from './system-clock.ts';
export { ensureFile } from './ensure-file.ts';
