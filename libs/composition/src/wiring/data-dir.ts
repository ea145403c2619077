import { accessSync, constants, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { ConfigurationError } from '../environment.ts';

/** Creates the data folder, accessible only by its owner; throws a `ConfigurationError` if it cannot be used. */
export const prepareDataDir = ({ dataDir }: Pick<Config, 'dataDir'>): void => {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw createPathError('DATA_DIR', dataDir, findCreationFault(dataDir) ?? fileFaultOf(error));
  }
};

/**
 * Returns why the folder cannot be created in its nearest existing parent; null if it can be created or already exists.
 * For nested new folders on a read-only file system, Node only reports that they do not exist.
 */
const findCreationFault = (path: string): string | null =>
  pathExists(path) ? null : findAccessFault(findNearestExisting(path), constants.W_OK | constants.X_OK);

/** Returns the path, or its nearest existing parent. */
export const findNearestExisting = (path: string): string =>
  pathExists(path) || dirname(path) === path ? path : findNearestExisting(dirname(path));

const pathExists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** Returns why this user does not have this access to the path, in words; null if the user has it. */
export const findAccessFault = (path: string, mode: number): string | null => {
  try {
    accessSync(path, mode);
    return null;
  } catch (error) {
    return fileFaultOf(error);
  }
};

/** Throws a `ConfigurationError` if the heartbeat file cannot be written. */
export const assertHeartbeat = ({ heartbeatFile }: Pick<Config, 'heartbeatFile'>): void => {
  if (heartbeatFile === null) return;
  try {
    accessSync(dirname(heartbeatFile), constants.W_OK | constants.X_OK);
  } catch (error) {
    throw createPathError('HEARTBEAT_FILE', heartbeatFile, fileFaultOf(error));
  }
};

const createPathError = (name: string, path: string, fault: string): ConfigurationError =>
  new ConfigurationError([`${name}: ${path} cannot be used: ${fault}`]);

/** Returns the reason for a system error, in words. */
export const fileFaultOf = (error: unknown): string => {
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
