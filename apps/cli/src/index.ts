export { oldNames } from './program/old-names.ts';
export { run } from './program.ts';
export type { Io } from './io.ts';
