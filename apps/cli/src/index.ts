export { oldNames } from './program/old-names.ts';
export { createTool, run } from './program.ts';
export type { Io } from './io.ts';
