import { livenessMs, type LiveProcess, type Roster } from '@portico/dependencies';
import { defaultLimits } from './connect.ts';
import { QdrantConnection } from './qdrant-connection.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import { assertCompleted, readLiveProcesses } from './read-response.ts';

/**
 * The collection that contains a point for each process, with a meaningless vector. The 1 is the version of this
 * layout.
 */
export const rosterCollection = 'portico-living-1';

/** The maximum number of processes that are read, more than there are. */
const processesMax = 10_000;

/** Creates a roster in Qdrant. Its calls reject with a `QdrantFailure` if they fail. */
export const createQdrantRoster = ({ url, apiKey }: { readonly url: string; readonly apiKey: string | null }): Roster =>
  new QdrantRoster(url, apiKey, defaultLimits);

class QdrantRoster extends QdrantConnection implements Roster {
  async announce(liveProcess: LiveProcess): Promise<void> {
    try {
      await this.#write(liveProcess);
    } catch (error) {
      if (!isMissing(error)) throw error;
      await this.#create();
      await this.#write(liveProcess);
    }
    const must = [{ key: 'at', range: { lt: liveProcess.at - livenessMs } }];
    await this.call('removing dead processes', assertCompleted, () =>
      this.quickClient.delete(rosterCollection, { wait: true, filter: { must } }),
    );
  }

  async listLiveProcesses(now: number): Promise<readonly LiveProcess[]> {
    try {
      const must = [{ key: 'at', range: { gte: now - livenessMs } }];
      return await this.call('reading the live processes', readLiveProcesses, () =>
        this.quickClient.scroll(rosterCollection, { filter: { must }, limit: processesMax, with_payload: true }),
      );
    } catch (error) {
      if (isMissing(error)) return [];
      throw error;
    }
  }

  async leave({ process }: LiveProcess): Promise<void> {
    await this.call('leaving', assertCompleted, () =>
      this.quickClient.delete(rosterCollection, { wait: true, points: [process] }),
    );
  }

  async #write({ installation, process, at }: LiveProcess): Promise<void> {
    const points = [{ id: process, vector: [1], payload: { installation, at } }];
    await this.call('announcing a process', assertCompleted, () =>
      this.quickClient.upsert(rosterCollection, { wait: true, points }),
    );
  }

  async #create(): Promise<void> {
    try {
      await this.call('creating a collection', Boolean, () =>
        this.bulkClient.createCollection(rosterCollection, {
          vectors: { size: 1, distance: 'Dot' },
          hnsw_config: { m: 0 },
        }),
      );
    } catch (error) {
      // Another process may have created it in the meantime.
      if (!(await this.listCollections()).includes(rosterCollection)) throw error;
    }
  }
}

const isMissing = (error: unknown): boolean => error instanceof QdrantFailure && error.kind === 'missing';
