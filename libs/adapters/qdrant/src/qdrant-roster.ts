import { livingMs, type LivingProcess, type Roster } from '@portico/dependencies';
import { usualLimits } from './connect.ts';
import { QdrantConnection } from './qdrant-connection.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import { readDone, readLiving } from './read-answer.ts';

/** A point for each process, with a vector that means nothing. The 1 is the version of this layout. */
export const rosterCollection = 'portico-living-1';

/** More than there are. */
const processesMax = 10_000;

/** Every call rejects with a `QdrantFailure`. */
export const createQdrantRoster = ({ url, apiKey }: { readonly url: string; readonly apiKey: string | null }): Roster =>
  new QdrantRoster(url, apiKey, usualLimits);

class QdrantRoster extends QdrantConnection implements Roster {
  async announce(self: LivingProcess): Promise<void> {
    try {
      await this.#write(self);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#create();
      await this.#write(self);
    }
    const must = [{ key: 'at', range: { lt: self.at - livingMs } }];
    await this.call('forgetting processes', readDone, () =>
      this.quick.delete(rosterCollection, { wait: true, filter: { must } }),
    );
  }

  async living(now: number): Promise<readonly LivingProcess[]> {
    try {
      const must = [{ key: 'at', range: { gte: now - livingMs } }];
      return await this.call('reading the living processes', readLiving, () =>
        this.quick.scroll(rosterCollection, { filter: { must }, limit: processesMax, with_payload: true }),
      );
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async leave({ process }: LivingProcess): Promise<void> {
    await this.call('leaving', readDone, () => this.quick.delete(rosterCollection, { wait: true, points: [process] }));
  }

  async #write({ installation, process, at }: LivingProcess): Promise<void> {
    const points = [{ id: process, vector: [1], payload: { installation, at } }];
    await this.call('announcing a process', readDone, () =>
      this.quick.upsert(rosterCollection, { wait: true, points }),
    );
  }

  async #create(): Promise<void> {
    try {
      await this.call('creating a collection', Boolean, () =>
        this.bulk.createCollection(rosterCollection, { vectors: { size: 1, distance: 'Dot' }, hnsw_config: { m: 0 } }),
      );
    } catch (error) {
      // Another process may have created it meanwhile.
      if (!(await this.collections()).includes(rosterCollection)) throw error;
    }
  }
}

const isMissing = (error: unknown): boolean => error instanceof QdrantFailure && error.kind === 'missing';
