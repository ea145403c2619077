import { randomBytes } from 'node:crypto';
import type { KeyValueStore } from './parts.ts';

const settingName = 'installation';

/** Returns the id of the installation that this database belongs to; creates the id on first start. */
export const ensureInstallationId = (settings: KeyValueStore): Promise<string> =>
  settings.putIfAbsent(settingName, newId());

/** Replaces the id and returns the new one. */
export const renewInstallationId = async (settings: Pick<KeyValueStore, 'put'>): Promise<string> => {
  const id = newId();
  await settings.put(settingName, id);
  return id;
};

/** Returns the id without creating one; null before the first start. */
export const readInstallationId = (settings: Pick<KeyValueStore, 'get'>): Promise<string | null> =>
  settings.get(settingName);

/**
 * Returns an id that is short, because each name contains it, but long enough that two installations on one server
 * never have the same id.
 */
const newId = (): string => randomBytes(6).toString('hex');
