import type { LivingProcess } from '@portico/dependencies';
import { knownInstallationId } from '../../wiring/installation-id.ts';
import { announcedTimes, copiesAmong, copyAdvice, othersAmong } from '../../wiring/presence.ts';
import { askingStores } from '../asking-stores.ts';
import { ok, wrong, type Check } from '../check.ts';
import type { Examination } from '../examination.ts';

/** Who else uses a server. */
const sharingCheck = (
  server: 'Redis' | 'Qdrant',
  /** The check that says whether it can be asked at all. */
  usable: string,
  isIdle: NonNullable<Check['isIdle']>,
  living: (examination: Examination) => Promise<readonly LivingProcess[]>,
): Check => ({
  id: `${server.toLowerCase()}.installations`,
  needs: [usable, 'database.tables'],
  isIdle,
  ask: askingStores(
    async ({ settings }, examination) => {
      const installation = (await knownInstallationId(settings)) ?? '';
      const found = await living(examination);
      // Read afterwards, so that whatever was found there and belongs to this database is known here.
      if (copiesAmong(found, installation, await announcedTimes(settings)).length > 0) {
        return wrong(
          `Another database with the id of this installation (${installation}) is in use with this ${server}: one is a copy of the other.`,
          copyAdvice,
        );
      }
      const others = othersAmong(found, installation);
      return ok(
        others.length === 0
          ? `No other installation uses this ${server}.`
          : `Other installations use this ${server} under other names: ${others.join(', ')}.`,
      );
    },
    () => ok('There is no installation yet.'),
  ),
  advice: `Correct ${server === 'Redis' ? 'REDIS_URL' : 'QDRANT_URL'}, or the rights of its user.`,
});

export const sharingChecks: readonly Check[] = [
  sharingCheck(
    'Redis',
    'redis.writes',
    ({ redis }) => (redis === null ? 'REDIS_URL is not set.' : null),
    ({ livingInRedis }) => livingInRedis(),
  ),
  sharingCheck(
    'Qdrant',
    'qdrant.access',
    ({ qdrant }) => (qdrant === null ? 'QDRANT_URL is not set.' : null),
    async ({ qdrant }) => (await qdrant()).living(),
  ),
];
