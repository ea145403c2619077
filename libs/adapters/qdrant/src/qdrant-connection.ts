import { retryIfBroken, FailureWindow } from '@portico/dependencies';
import type { QdrantClient } from '@qdrant/js-client-rest';
import { BrokenCircuitError, circuitBreaker, handleWhen } from 'cockatiel';
import { connect, type Limits } from './connect.ts';
import { QdrantFailure, toFailure } from './qdrant-failure.ts';
import { readNames, readVersion } from './read-response.ts';

const failuresMax = 5;
const failuresWithinMs = 10_000;

/**
 * The Qdrant calls that all indexes share. Any failure, including a malformed response, is a `QdrantFailure`. After
 * five failures within ten seconds, the circuit breaker opens, and every call fails immediately for a while.
 */
export class QdrantConnection {
  /** The client for searches and small calls. */
  protected readonly quickClient: QdrantClient;
  /** The client for calls that write or read many points. */
  protected readonly bulkClient: QdrantClient;
  readonly #breaker;

  constructor(url: string, apiKey: string | null, { searchMs, bulkMs, breakerOpenMs }: Limits) {
    this.quickClient = connect(url, apiKey, searchMs);
    this.bulkClient = connect(url, apiKey, bulkMs);
    this.#breaker = circuitBreaker(
      handleWhen((error) => error instanceof QdrantFailure && (error.kind === 'unavailable' || error.kind === 'key')),
      {
        halfOpenAfter: breakerOpenMs,
        breaker: new FailureWindow({ failuresMax, withinMs: failuresWithinMs, consecutive: false }),
      },
    );
  }

  onCircuitOpen(listener: () => void): void {
    this.#breaker.onBreak(listener);
  }

  readVersion(): Promise<string> {
    return this.call('reading its version', readVersion, () => this.quickClient.versionInfo());
  }

  listCollections(): Promise<readonly string[]> {
    return this.call('listing its collections', readNames, () => this.quickClient.getCollections());
  }

  async drop(name: string): Promise<void> {
    await this.call('deleting a collection', Boolean, () => this.bulkClient.deleteCollection(name));
  }

  protected async call<T>(operation: string, read: (response: unknown) => T, send: () => Promise<unknown>): Promise<T> {
    try {
      return await this.#breaker.execute(() => callDirectly(operation, read, send));
    } catch (error) {
      if (error instanceof BrokenCircuitError) {
        throw new QdrantFailure('circuit open', 'it failed repeatedly: no requests are sent to it for a few seconds');
      }
      throw error;
    }
  }
}

/**
 * Calls Qdrant without the circuit breaker. Every call may safely arrive twice: at worst, the second creation is
 * rejected.
 */
export const callDirectly = async <T>(
  operation: string,
  read: (response: unknown) => T,
  send: () => Promise<unknown>,
): Promise<T> => {
  try {
    return read(await retryIfBroken(send));
  } catch (error) {
    throw toFailure(error, operation);
  }
};
