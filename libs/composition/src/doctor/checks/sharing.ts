import type { LiveProcess } from '@portico/dependencies';
import { readInstallationId } from '../../wiring/installation-id.ts';
import { readAnnouncedTimes, findCopies, copyAdvice, findOtherInstallations } from '../../wiring/presence.ts';
import { checkStores } from '../check-stores.ts';
import { pass, fail, type Check } from '../check.ts';
import type { Examination } from '../examination.ts';

/** Returns a check for other installations that use a server. */
const createSharingCheck = (
  server: 'Redis' | 'Qdrant',
  /** The check that reports whether the server can be used at all. */
  neededCheck: string,
  findSkipReason: NonNullable<Check['findSkipReason']>,
  readLiveProcesses: (examination: Examination) => Promise<readonly LiveProcess[]>,
): Check => ({
  id: `${server.toLowerCase()}.installations`,
  needs: [neededCheck, 'database.tables'],
  findSkipReason,
  execute: checkStores(
    async ({ settings }, examination) => {
      const installation = (await readInstallationId(settings)) ?? '';
      const processes = await readLiveProcesses(examination);
      // Read afterwards, so that the announced times include all processes of this database that were found on the
      // server.
      if (findCopies(processes, installation, await readAnnouncedTimes(settings)).length > 0) {
        return fail(
          `Another database with the id of this installation (${installation}) is in use with this ${server}: one is a copy of the other.`,
          copyAdvice,
        );
      }
      const otherInstallations = findOtherInstallations(processes, installation);
      return pass(
        otherInstallations.length === 0
          ? `No other installation uses this ${server}.`
          : `Other installations use this ${server} under different names: ${otherInstallations.join(', ')}.`,
      );
    },
    () => pass('There is no installation yet.'),
  ),
  advice: `Correct ${server === 'Redis' ? 'REDIS_URL' : 'QDRANT_URL'}, or the rights of its user.`,
});

export const sharingChecks: readonly Check[] = [
  createSharingCheck(
    'Redis',
    'redis.writes',
    ({ redis }) => (redis === null ? 'REDIS_URL is not set.' : null),
    ({ readRedisProcesses }) => readRedisProcesses(),
  ),
  createSharingCheck(
    'Qdrant',
    'qdrant.access',
    ({ qdrant }) => (qdrant === null ? 'QDRANT_URL is not set.' : null),
    async ({ getQdrant }) => (await getQdrant()).listLiveProcesses(),
  ),
];
