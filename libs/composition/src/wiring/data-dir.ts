import { accessSync, constants, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';

/** Creates the data folder for its owner alone; throws a `ConfigurationError` if it cannot be used. */
export const prepareDataDir = ({ dataDir }: Pick<Config, 'dataDir'>): void => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable('DATA_DIR', dataDir, error);
  }
};

/** Throws a `ConfigurationError` if the heartbeat file could not be written. */
export const assertHeartbeat = ({ heartbeatFile }: Pick<Config, 'heartbeatFile'>): void => {
  if (heartbeatFile === null) return;
  try {
    accessSync(dirname(heartbeatFile), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable('HEARTBEAT_FILE', heartbeatFile, error);
  }
};

const unusable = (name: string, path: string, error: unknown): ConfigurationError =>
  new ConfigurationError([`${name}: ${path} cannot be used: ${fileFault(error)}`]);

/** The reason of the operating system, in words. */
export const fileFault = (error: unknown): string => {
  const { code = 'unknown error' } = error as NodeJS.ErrnoException;
  return reasons[code] ?? code;
};

const reasons: Readonly<Record<string, string>> = {
  EEXIST: 'it is a file, not a folder (EEXIST)',
  ENOTDIR: 'part of its path is a file (ENOTDIR)',
  ENOENT: 'its folder does not exist (ENOENT)',
  EACCES: 'this user may not write there (EACCES)',
  EPERM: 'this user may not write there (EPERM)',
  EROFS: 'the file system is read-only (EROFS)',
  ENOSPC: 'the disk is full (ENOSPC)',
};
