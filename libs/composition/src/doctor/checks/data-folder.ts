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
    ask: ({ config }) => judgeFolder(config()),
    advice: 'Set DATA_DIR to a folder of this user.',
  },
  {
    id: 'data.owner',
    needs: ['data.folder'],
    ask: ({ config }) => ifThere(config().dataDir, (found) => judgeOwner(config().dataDir, found)),
    advice: 'Look at the folder with ls -ld.',
  },
  {
    id: 'data.files',
    needs: ['data.folder'],
    ask: ({ config }) => judgeFiles(config()),
    advice: 'Look at the files with ls -l.',
  },
  {
    id: 'data.disk',
    needs: ['data.folder'],
    ask: ({ config }) => judgeDisk(config().dataDir),
    advice: 'Look at it with df.',
  },
  {
    id: 'data.heartbeat',
    needs: ['configuration'],
    isIdle: ({ heartbeatFile }) => (heartbeatFile === null ? 'HEARTBEAT_FILE is not set.' : null),
    ask: ({ config }) => {
      assertHeartbeat(config());
      return ok('The heartbeat can be written.');
    },
    advice: 'Create the folder for this user, or set HEARTBEAT_FILE to a path in one that it may write.',
  },
];

const judgeFolder = ({ dataDir }: Config): Finding => {
  const found = statOf(dataDir);
  if (found === null) {
    const parent = nearestExisting(dirname(dataDir));
    const fault = accessFault(parent, constants.W_OK | constants.X_OK);
    if (fault === null) return ok(`DATA_DIR: ${dataDir} does not exist yet; the first start creates it.`);
    return wrong(
      `DATA_DIR: ${dataDir} does not exist and cannot be created in ${parent}: ${fault}.`,
      'Create it for the user of the service, or set DATA_DIR to another folder.',
    );
  }
  if (!found.isDirectory()) {
    return wrong(`DATA_DIR: ${dataDir} is not a folder.`, 'Remove the file, or set DATA_DIR to another folder.');
  }
  const fault = accessFault(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  if (fault === null) return ok(`DATA_DIR: ${dataDir} can be read and written.`);
  return wrong(
    `DATA_DIR: ${dataDir} cannot be used: ${fault}.`,
    `Make it a folder of this user: chown -R ${userInfo().username} ${dataDir}, and chmod 700.`,
  );
};

const judgeOwner = (dataDir: string, { uid }: Stats): Finding => {
  const open = openFolder({ dataDir });
  if (open) return wrong(open.said, open.advice);
  const me = process.geteuid?.();
  if (me === undefined || uid === me) return ok(`DATA_DIR: ${dataDir} belongs to this user.`);
  return warning(
    `DATA_DIR: ${dataDir} belongs to the user ${uid}, and this command runs as ${me}: files that it makes may be closed to the service.`,
    `Run the tool as the user of the service, or give the folder to it: chown -R ${me} ${dataDir}`,
  );
};

/** Files elsewhere, such as mounted secrets, may have other rules. */
const judgeFiles = (config: Config): readonly Finding[] => {
  const findings = openFiles(config).map(({ path, said, advice }) =>
    isWithin(config.dataDir, path) ? wrong(said, advice) : warning(said, advice),
  );
  return findings.length > 0 ? findings : [ok('Keys and database are closed to other users.')];
};

const judgeDisk = async (dataDir: string): Promise<Finding> => {
  const place = nearestExisting(dataDir);
  const { bavail, blocks, bsize } = await statfs(place);
  const free = bavail * bsize;
  const said = `${megabytes(free)} are free under ${place}.`;
  const advice = 'Free some space, or move DATA_DIR to a larger disk: on a full one every change is refused.';
  if (free < fullBytes) return wrong(`The disk is almost full: ${said}`, advice);
  if (free < scarceBytes || bavail < blocks * scarceShare) return warning(`The disk fills up: ${said}`, advice);
  return ok(said);
};

const megabytes = (bytes: number): string =>
  bytes < scarceBytes ? `${Math.floor(bytes / 1e6)} MB` : `${Math.floor(bytes / 1e9)} GB`;

const ifThere = (path: string, judge: (found: Stats) => Finding): Finding => {
  const found = statOf(path);
  return found === null ? ok(`${path} does not exist yet.`) : judge(found);
};

const statOf = (path: string): Stats | null => statSync(path, { throwIfNoEntry: false }) ?? null;
