import { constants, statSync, type Stats } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import type { Config } from '../../config.ts';
import { accessFault, assertHeartbeat, nearestExisting } from '../../wiring/data-dir.ts';
import { isWithin } from '../../wiring/embedded-files.ts';
import { openFiles, openFolder } from '../../wiring/open-paths.ts';
import { ok, warning, wrong, type Check, type Finding } from '../check.ts';

const [fullBytes, scarceBytes, scarceShare] = [100_000_000, 1_000_000_000, 0.05];

export const dataFolderChecks: readonly Check[] = [
  {
    id: 'data.folder',
    needs: ['configuration'],
    execute: ({ config }) => checkFolder(config()),
    advice: 'Set DATA_DIR to a folder of this user.',
  },
  {
    id: 'data.owner',
    needs: ['data.folder'],
    execute: ({ config }) => ifExists(config().dataDir, (stats) => checkOwner(config().dataDir, stats)),
    advice: 'Check the folder with ls -ld.',
  },
  {
    id: 'data.files',
    needs: ['data.folder'],
    execute: ({ config }) => checkFiles(config()),
    advice: 'Check the files with ls -l.',
  },
  {
    id: 'data.disk',
    needs: ['data.folder'],
    execute: ({ config }) => checkDisk(config().dataDir),
    advice: 'Check it with df.',
  },
  {
    id: 'data.heartbeat',
    needs: ['configuration'],
    findSkipReason: ({ heartbeatFile }) => (heartbeatFile === null ? 'HEARTBEAT_FILE is not set.' : null),
    execute: ({ config }) => {
      assertHeartbeat(config());
      return ok('The heartbeat can be written.');
    },
    advice: 'Create the folder for this user, or set HEARTBEAT_FILE to a path in one that it may write.',
  },
];

const checkFolder = ({ dataDir }: Config): Finding => {
  const stats = statOf(dataDir);
  if (stats === null) {
    const parent = nearestExisting(dirname(dataDir));
    const fault = accessFault(parent, constants.W_OK | constants.X_OK);
    if (fault === null) return ok(`DATA_DIR: ${dataDir} does not exist yet; the first start creates it.`);
    return wrong(
      `DATA_DIR: ${dataDir} does not exist and cannot be created in ${parent}: ${fault}.`,
      'Create it for the user of the service, or set DATA_DIR to another folder.',
    );
  }
  if (!stats.isDirectory()) {
    return wrong(`DATA_DIR: ${dataDir} is not a folder.`, 'Remove the file, or set DATA_DIR to another folder.');
  }
  const fault = accessFault(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (fault === null) return ok(`DATA_DIR: ${dataDir} can be read and written.`);
  return wrong(
    `DATA_DIR: ${dataDir} cannot be used: ${fault}.`,
    `Make it a folder of this user: chown -R ${userInfo().username} ${dataDir}, and chmod 700.`,
  );
};

const checkOwner = (dataDir: string, { uid }: Stats): Finding => {
  const openPath = openFolder({ dataDir });
  if (openPath) return wrong(openPath.message, openPath.advice);
  const currentUid = process.geteuid?.();
  if (currentUid === undefined || uid === currentUid) return ok(`DATA_DIR: ${dataDir} belongs to this user.`);
  return warning(
    `DATA_DIR: ${dataDir} belongs to the user ${uid}, and this command runs as ${currentUid}: the service may be unable to read files that it creates.`,
    `Run the tool as the user of the service, or give the folder to it: chown -R ${currentUid} ${dataDir}`,
  );
};

/** Reports exposed files. Files outside the data folder, such as mounted secrets, may need different permissions. */
const checkFiles = (config: Config): readonly Finding[] => {
  const findings = openFiles(config).map(({ path, message, advice }) =>
    isWithin(config.dataDir, path) ? wrong(message, advice) : warning(message, advice),
  );
  return findings.length > 0 ? findings : [ok('Keys and database are closed to other users.')];
};

const checkDisk = async (dataDir: string): Promise<Finding> => {
  const folder = nearestExisting(dataDir);
  const { bavail, blocks, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const freeSpace = `${megabytes(free)} are free under ${folder}.`;
  const advice = 'Free some space, or move DATA_DIR to a larger disk: on a full disk every change is rejected.';
  if (free < fullBytes) return wrong(`The disk is almost full: ${freeSpace}`, advice);
  if (free < scarceBytes || bavail < blocks * scarceShare)
    return warning(`The disk is filling up: ${freeSpace}`, advice);
  return ok(freeSpace);
};

const megabytes = (bytes: number): string =>
  bytes < scarceBytes ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`;

const ifExists = (path: string, check: (stats: Stats) => Finding): Finding => {
  const stats = statOf(path);
  return stats === null ? ok(`${path} does not exist yet.`) : check(stats);
};

const statOf = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;
