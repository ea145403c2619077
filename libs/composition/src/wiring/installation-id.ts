import { randomBytes } from 'node:crypto';
import type { KeyValueStore } from './parts.ts';

const settingName = 'installation';

/** The id of the installation that this database belongs to; made at the first start. */
export const installationId = (settings: KeyValueStore): Promise<string> => settings.putIfAbsent(settingName, newId());

/** Replaces it; returns the new one. */
export const renewInstallationId = async (settings: Pick<KeyValueStore, 'put'>): Promise<string> => {
  const id = newId();
  await settings.put(settingName, id);
  return id;
};

/** The same without making one; null before the first start. */
export const knownInstallationId = (settings: Pick<KeyValueStore, 'get'>): Promise<string | null> =>
  settings.get(settingName);

/** Short, since it is in each name; so long that two installations on one server never have the same. */
const newId = (): string => randomBytes(6).toString('hex');
