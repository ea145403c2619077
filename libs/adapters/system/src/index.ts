export * from './system-chance.ts';
export * from './system-clock.ts';
