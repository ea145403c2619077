import { systemRandomSource, systemClock } from '@portico/system';
import type { Module } from '../parts.ts';

export const systemModule: Module = (provide) => {
  provide('clock', [], () => systemClock);
  provide('random', [], () => systemRandomSource);
};
