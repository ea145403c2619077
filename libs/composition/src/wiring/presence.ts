import { randomUUID } from 'node:crypto';
import { createOutage, livingMs, type LivingProcess, type Outage, type Roster } from '@portico/dependencies';
import type { Logger } from 'pino';
import type { KeyValueStore } from './parts.ts';

/** When each process of a database last announced itself, by its id: in JSON. */
const settingName = 'processes';

/** Longer than a process counts as living, so that clocks may disagree. */
const keptMs = 10 * livingMs;

/** A server that other installations may use too. */
export interface SharedServer {
  /** `Redis` or `Qdrant`. */
  readonly name: string;
  readonly roster: Roster;
}

/** Tells other processes that this one lives, and the operator whom it shares its servers with. */
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
 * A process announces itself in its database first, then on the shared servers. Another process of the same database
 * therefore finds there each time that it has read on a server; one of a copy does not, however the copy was made.
 */
export const createPresence = ({ installation, settings, servers, logger }: PresenceParts): Presence => {
  const process = randomUUID();
  const watched = servers.map((server) => ({ ...server, tell: createTeller(server.name, installation, logger) }));
  const onEach = async (ask: (server: (typeof watched)[number]) => Promise<void>) => {
    for (const server of watched) {
      try {
        await ask(server);
      } catch (error) {
        // The adapter tells outages; the next time is soon.
        logger.debug({ err: error, server: server.name }, 'The processes on a server are not known');
      }
    }
  };
  return {
    async announce() {
      const at = Date.now();
      await settings.update(settingName, (text) => {
        const others = Object.entries(readTimes(text)).filter(
          ([other, last]) => other !== process && last > at - keptMs,
        );
        return JSON.stringify(Object.fromEntries([...others, [process, at]]));
      });
      const found: { readonly tell: ReturnType<typeof createTeller>; readonly living: readonly LivingProcess[] }[] = [];
      await onEach(async ({ roster, tell }) => {
        await roster.announce({ installation, process, at });
        found.push({ tell, living: await roster.living(at) });
      });
      const times = await announcedTimes(settings);
      for (const { tell, living } of found) tell(living, times);
    },
    async leave() {
      await onEach(({ roster }) => roster.leave({ installation, process, at: 0 }));
      await settings.update(settingName, (text) => {
        const others = Object.entries(readTimes(text)).filter(([other]) => other !== process);
        return JSON.stringify(Object.fromEntries(others));
      });
    },
  };
};

/** When each process of this database last announced itself, in milliseconds since 1970. */
export type Times = Readonly<Record<string, number>>;

const readTimes = (text: string | null): Times => JSON.parse(text ?? '{}') as Times;

export const announcedTimes = async (settings: Pick<KeyValueStore, 'get'>): Promise<Times> =>
  readTimes(await settings.get(settingName));

/** Those of this installation whose database is another one. Read the times after them. */
export const copiesAmong = (living: readonly LivingProcess[], installation: string, times: Times) =>
  living.filter((one) => one.installation === installation && !((times[one.process] ?? 0) >= one.at));

/** The ids of the other installations. */
export const othersAmong = (living: readonly LivingProcess[], installation: string): readonly string[] =>
  [...new Set(living.map((one) => one.installation))].filter((other) => other !== installation).sort();

export const copyAdvice =
  'Stop the processes of the copy, run "portico new-identity" with its DATABASE_URL, and start it again.';

/** Tells what changes: each set of other installations once, and when a copy comes and goes. */
const createTeller = (server: string, installation: string, logger: Logger) => {
  const copied: Outage = createOutage(logger, {
    back: 'No other database with the id of this installation is in use any more',
    fields: { server, installation },
  });
  let told = '';
  return (living: readonly LivingProcess[], times: Times): void => {
    const installations = othersAmong(living, installation);
    if (installations.length > 0 && String(installations) !== told) {
      logger.info(
        { server, installation, installations },
        'Other installations use this server too, under other names',
      );
    }
    told = String(installations);
    if (copiesAmong(living, installation, times).length === 0) return copied.end();
    copied.begin({
      level: 'error',
      message: `Another database has the id of this installation and is in use: one is a copy of the other, and each disturbs searches and jobs of the other. ${copyAdvice}`,
    });
  };
};
