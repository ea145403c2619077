import { randomUUID } from 'node:crypto';
import { createOutage, livenessMs, type LiveProcess, type Outage, type Roster } from '@portico/dependencies';
import type { Logger } from 'pino';
import type { KeyValueStore } from './parts.ts';

/** The setting that contains the time of each process's last announcement, by the id of the process, as JSON. */
const settingName = 'processes';

/** How long announcements are kept: longer than a process counts as alive, because clocks may differ. */
const retentionMs = 10 * livenessMs;

/** A server that other installations may also use. */
export interface SharedServer {
  /** `Redis` or `Qdrant`. */
  readonly name: string;
  readonly roster: Roster;
}

/** Announces this process to others, and logs the installations that share servers with it. */
export interface Presence {
  announce(): Promise<void>;
  leave(): Promise<void>;
}

export interface PresenceParts {
  readonly installation: string;
  readonly settings: KeyValueStore;
  readonly servers: readonly SharedServer[];
  readonly logger: Logger;
}

/**
 * Creates the presence of this process. A process announces itself first in its database, then on the shared servers.
 * Another process that uses the same database therefore finds in it each timestamp that it has read from a server. A
 * process that uses a copy of the database does not, regardless of how the copy was made.
 */
export const createPresence = ({ installation, settings, servers, logger }: PresenceParts): Presence => {
  const processId = randomUUID();
  const watchedServers = servers.map((server) => ({
    ...server,
    logChanges: createChangeLog(server.name, installation, logger),
  }));
  const forEachServer = async (action: (server: (typeof watchedServers)[number]) => Promise<void>) => {
    for (const server of watchedServers) {
      try {
        await action(server);
      } catch (error) {
        // The adapter logs outages, and the next announcement comes soon.
        logger.debug({ err: error, server: server.name }, 'The processes that use a server could not be read');
      }
    }
  };
  return {
    async announce() {
      const now = Date.now();
      await settings.update(settingName, (text) => {
        const otherEntries = Object.entries(readTimes(text)).filter(
          ([otherProcess, lastTime]) => otherProcess !== processId && lastTime > now - retentionMs,
        );
        return JSON.stringify(Object.fromEntries([...otherEntries, [processId, now]]));
      });
      const observations: {
        readonly logChanges: ReturnType<typeof createChangeLog>;
        readonly liveProcesses: readonly LiveProcess[];
      }[] = [];
      await forEachServer(async ({ roster, logChanges }) => {
        await roster.announce({ installation, process: processId, at: now });
        observations.push({ logChanges, liveProcesses: await roster.listLiveProcesses(now) });
      });
      const times = await readAnnouncedTimes(settings);
      for (const { logChanges, liveProcesses } of observations) logChanges(liveProcesses, times);
    },
    async leave() {
      await forEachServer(({ roster }) => roster.leave({ installation, process: processId, at: 0 }));
      await settings.update(settingName, (text) => {
        const otherEntries = Object.entries(readTimes(text)).filter(([otherProcess]) => otherProcess !== processId);
        return JSON.stringify(Object.fromEntries(otherEntries));
      });
    },
  };
};

/** The time of each process's last announcement in this database, in milliseconds since 1970. */
export type Times = Readonly<Record<string, number>>;

const readTimes = (text: string | null): Times => JSON.parse(text ?? '{}') as Times;

export const readAnnouncedTimes = async (settings: Pick<KeyValueStore, 'get'>): Promise<Times> =>
  readTimes(await settings.get(settingName));

/** Returns the processes of this installation that use a different database. `times` must be read after `liveProcesses`. */
export const findCopies = (liveProcesses: readonly LiveProcess[], installation: string, times: Times) =>
  liveProcesses.filter(
    (liveProcess) =>
      liveProcess.installation === installation && !((times[liveProcess.process] ?? 0) >= liveProcess.at),
  );

/** Returns the ids of the other installations. */
export const findOtherInstallations = (
  liveProcesses: readonly LiveProcess[],
  installation: string,
): readonly string[] =>
  [...new Set(liveProcesses.map((liveProcess) => liveProcess.installation))].filter((id) => id !== installation).sort();

export const copyAdvice =
  'Stop the processes of the copy, run "portico new-identity" with its DATABASE_URL, and start it again.';

/** Logs changes: each set of other installations once, and when a copy starts and stops being in use. */
const createChangeLog = (server: string, installation: string, logger: Logger) => {
  const copyOutage: Outage = createOutage(logger, {
    recoveryMessage: 'No other database with the id of this installation is in use anymore',
    fields: { server, installation },
  });
  let lastLogged = '';
  return (liveProcesses: readonly LiveProcess[], times: Times): void => {
    const installations = findOtherInstallations(liveProcesses, installation);
    if (installations.length > 0 && String(installations) !== lastLogged) {
      logger.info(
        { server, installation, installations },
        'Other installations also use this server, under different names',
      );
    }
    lastLogged = String(installations);
    if (findCopies(liveProcesses, installation, times).length === 0) return copyOutage.end();
    copyOutage.start({
      level: 'error',
      message: `Another database has the id of this installation and is in use: one is a copy of the other, and each interferes with the searches and jobs of the other. ${copyAdvice}`,
    });
  };
};
