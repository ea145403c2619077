import { constants, statSync, type Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { findAccessFault, assertHeartbeat, findNearestExisting } from '../../wiring/data-dir.ts';
import { isWithin } from '../../wiring/embedded-files.ts';
import { findExposedFiles, findExposedFolder } from '../../wiring/exposed-paths.ts';
import { pass, warn, fail, type Check, type Finding } from '../check.ts';

const [criticalFreeBytes, lowFreeBytes, lowFreeShare] = [100_000_000, 1_000_000_000, 0.05];

export const dataFolderChecks: readonly Check[] = [
  {
    id: 'data.folder',
    needs: ['configuration'],
    execute: ({ getConfig }) => checkFolder(getConfig()),
    advice: 'Set DATA_DIR to a folder of this user.',
  },
  {
    id: 'data.owner',
    needs: ['data.folder'],
    execute: ({ getConfig }) => checkIfExists(getConfig().dataDir, (stats) => checkOwner(getConfig().dataDir, stats)),
    advice: 'Check the folder with ls -ld.',
  },
  {
    id: 'data.files',
    needs: ['data.folder'],
    execute: ({ getConfig }) => checkFiles(getConfig()),
    advice: 'Check the files with ls -l.',
  },
  {
    id: 'data.disk',
    needs: ['data.folder'],
    execute: ({ getConfig }) => checkDisk(getConfig().dataDir),
    advice: 'Check it with df.',
  },
  {
    id: 'data.heartbeat',
    needs: ['configuration'],
    findSkipReason: ({ heartbeatFile }) => (heartbeatFile === null ? 'HEARTBEAT_FILE is not set.' : null),
    execute: ({ getConfig }) => {
      assertHeartbeat(getConfig());
      return pass('The heartbeat can be written.');
    },
    advice: 'Create the folder for this user, or set HEARTBEAT_FILE to a path in a folder that this user can write to.',
  },
];

const checkFolder = ({ dataDir }: Config): Finding => {
  const stats = statOf(dataDir);
  if (stats === null) {
    const parent = findNearestExisting(dirname(dataDir));
    const fault = findAccessFault(parent, constants.W_OK | constants.X_OK);
    if (fault === null) return pass(`DATA_DIR: ${dataDir} does not exist yet; the first start creates it.`);
    return fail(
      `DATA_DIR: ${dataDir} does not exist and cannot be created in ${parent}: ${fault}.`,
      'Create it for the user of the service, or set DATA_DIR to a different folder.',
    );
  }
  if (!stats.isDirectory()) {
    return fail(`DATA_DIR: ${dataDir} is not a folder.`, 'Remove the file, or set DATA_DIR to a different folder.');
  }
  const fault = findAccessFault(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (fault === null) return pass(`DATA_DIR: ${dataDir} can be read and written.`);
  return fail(
    `DATA_DIR: ${dataDir} cannot be used: ${fault}.`,
    `Make it a folder of this user: chown -R ${userInfo().username} ${dataDir}, and chmod 700.`,
  );
};

const checkOwner = (dataDir: string, { uid }: Stats): Finding => {
  const exposedFolder = findExposedFolder({ dataDir });
  if (exposedFolder) return fail(exposedFolder.message, exposedFolder.advice);
  const currentUid = process.geteuid?.();
  if (currentUid === undefined || uid === currentUid) return pass(`DATA_DIR: ${dataDir} belongs to this user.`);
  return warn(
    `DATA_DIR: ${dataDir} belongs to the user ${uid}, and this command runs as ${currentUid}: the service may be unable to read files that it creates.`,
    `Run the tool as the user of the service, or give the folder to it: chown -R ${currentUid} ${dataDir}`,
  );
};

/** Reports exposed files. Files outside the data folder, such as mounted secrets, may need different permissions. */
const checkFiles = (config: Config): readonly Finding[] => {
  const findings = findExposedFiles(config).map(({ path, message, advice }) =>
    isWithin(config.dataDir, path) ? fail(message, advice) : warn(message, advice),
  );
  return findings.length > 0 ? findings : [pass('Other users cannot read the keys and the database.')];
};

const checkDisk = async (dataDir: string): Promise<Finding> => {
  const folder = findNearestExisting(dataDir);
  const { bavail, blocks, bsize } = await statfs(folder);
  const freeBytes = bavail * bsize;
  const freeSpace = `${formatBytes(freeBytes)} are free under ${folder}.`;
  const advice = 'Free some space, or move DATA_DIR to a larger disk: on a full disk every change is rejected.';
  if (freeBytes < criticalFreeBytes) return fail(`The disk is almost full: ${freeSpace}`, advice);
  if (freeBytes < lowFreeBytes || bavail < blocks * lowFreeShare)
    return warn(`The disk is filling up: ${freeSpace}`, advice);
  return pass(freeSpace);
};

export const formatBytes = (bytes: number): string =>
  bytes < lowFreeBytes ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`;

const checkIfExists = (path: string, check: (stats: Stats) => Finding): Finding => {
  const stats = statOf(path);
  return stats === null ? pass(`${path} does not exist yet.`) : check(stats);
};

const statOf = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;
