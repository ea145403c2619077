import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';

/** Creates the data folder for its owner alone; throws a `ConfigurationError` if it cannot be used. */
export const prepareDataDir = ({ dataDir }: Pick<Config, 'dataDir'>): void => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable('DATA_DIR', dataDir, blocking(dataDir) ?? fileFault(error));
  }
};

/**
 * Why no folder can be made where the nearest one above it is; null if it can, or the folder exists. Node says of a new
 * folder within a new one on a read-only file system that it does not exist.
 */
const blocking = (path: string): string | null =>
  isThere(path) ? null : accessFault(nearestExisting(path), constants.W_OK | constants.X_OK);

/** The path, or the nearest folder above it that exists. */
export const nearestExisting = (path: string): string =>
  isThere(path) || dirname(path) === path ? path : nearestExisting(dirname(path));

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Why this user may not do this with the path, in words; null if it may. */
export const accessFault = (path: string, mode: number): string | null => {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return fileFault(error);
  }
};

/** Throws a `ConfigurationError` if the heartbeat file could not be written. */
export const assertHeartbeat = ({ heartbeatFile }: Pick<Config, 'heartbeatFile'>): void => {
  if (heartbeatFile === null) return;
  try {
    accessSync(dirname(heartbeatFile), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable('HEARTBEAT_FILE', heartbeatFile, fileFault(error));
  }
};

const unusable = (name: string, path: string, fault: string): ConfigurationError =>
  new ConfigurationError([`${name}: ${path} cannot be used: ${fault}`]);

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
