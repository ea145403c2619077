import type { LimitRule } from '../../limits/limit.ts';

export type Changes<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

export const ruleFields = ({ allowed, windowSeconds, isActive }: LimitRule & { readonly isActive: boolean }) => ({
  allowed_limit: allowed,
  window_seconds: windowSeconds,
  is_active: isActive,
});

export const merged = <T extends object>(current: T, change: Changes<NoInfer<T>>): T => ({
  ...current,
  ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
});
