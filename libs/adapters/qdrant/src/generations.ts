import { randomBytes } from 'node:crypto';
import { embeddingDimension } from '@portico/domain';
import { modelDigest, prefixOf } from './names.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import type { QdrantServer } from './qdrant-server.ts';
import type { Shape } from './read-response.ts';

/**
 * The age from which an unused collection was left behind by a crash. Another process may still be filling a newer one.
 */
const abandonedMs = 3_600_000;

/** The first Qdrant version with conditional writes. */
const minVersion = [1, 16] as const;

/**
 * Returns the alias of a model: the installation's prefix, and enough of a digest to distinguish the installation's
 * models.
 */
export const aliasOf = (installation: string, modelId: string): string =>
  `${prefixOf(installation)}${modelDigest(modelId)}`;

export const checkVersion = async (server: Pick<QdrantServer, 'version'>): Promise<void> => {
  const version = await server.version();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1])) {
    throw new QdrantFailure('rejected', `Qdrant ${version} is too old: ${minVersion.join('.')} or newer is needed`);
  }
};

/**
 * Returns the installation's collections for all models: those in use, and others that are being filled or were
 * abandoned.
 */
export const collectionsOf = async (
  server: QdrantServer,
  installation: string,
): Promise<{ readonly inUse: readonly string[]; readonly others: readonly string[] }> => {
  const [aliases, names] = [await server.aliases(), await server.collections()];
  const [isAlias, isName] = ['', '-g\\d+-[0-9a-f]{4}'].map((end) => {
    const pattern = new RegExp(`^${prefixOf(installation)}[0-9a-f]{8}${end}$`);
    return (text: string) => pattern.test(text);
  }) as [(text: string) => boolean, (text: string) => boolean];
  const inUse = new Set([...aliases].filter(([alias]) => isAlias(alias)).map(([, name]) => name));
  return { inUse: [...inUse], others: names.filter((name) => isName(name) && !inUse.has(name)) };
};

/** Returns the reason a collection of this shape cannot be used, or null if it can. */
export const shapeProblem = ({ size, distance }: Shape): string | null =>
  size === embeddingDimension && distance === 'Cosine'
    ? null
    : `its vectors have ${String(size)} dimensions with ${String(distance)}, not ${embeddingDimension} with Cosine`;

/**
 * The collections of one model. Their names consist of the model's alias, the time of creation and a random suffix; the
 * alias points to the collection in use. Several processes may each fill a collection simultaneously: the newest
 * collection wins.
 */
export class Generations {
  readonly #server: QdrantServer;
  readonly #alias: string;

  constructor(server: QdrantServer, installation: string, modelId: string) {
    this.#server = server;
    this.#alias = aliasOf(installation, modelId);
  }

  /** Returns the collection in use, or null if there is none. */
  async current(): Promise<string | null> {
    return (await this.#server.aliases()).get(this.#alias) ?? null;
  }

  /** Returns the reason the collection cannot be used, or null if it can. */
  async problem(name: string): Promise<string | null> {
    return shapeProblem(await this.#server.shape(name));
  }

  /**
   * Creates an unused collection. It counts as newer than all existing ones, even if another machine's clock is ahead.
   */
  async create(): Promise<string> {
    const newestAt = Math.max(0, ...(await this.#ownCollections()).map((name) => this.#createdAt(name)));
    const name = `${this.#alias}-g${Math.max(Date.now(), newestAt + 1)}-${randomBytes(2).toString('hex')}`;
    await this.#server.create(name);
    return name;
  }

  /** Switches to this collection. Throws if the current one is newer. */
  async use(name: string): Promise<void> {
    const current = await this.current();
    if (current !== null && this.#isOlder(name, current)) {
      throw new QdrantFailure('missing', `a newer collection is in use: ${current}`);
    }
    await this.#server.pointAlias(this.#alias, name);
  }

  /** Deletes collections older than the one in use, and those that were never completed. */
  async clear(): Promise<void> {
    const aliases = await this.#server.aliases();
    const [current, inUse] = [aliases.get(this.#alias), new Set(aliases.values())];
    for (const name of await this.#ownCollections()) {
      const isAbandoned = this.#createdAt(name) < Date.now() - abandonedMs;
      if (inUse.has(name)) continue;
      if (isAbandoned || (current !== undefined && this.#isOlder(name, current))) await this.#server.drop(name);
    }
  }

  /** Deletes all collections of the model. */
  async drop(): Promise<void> {
    const current = await this.current();
    for (const name of new Set([...(await this.#ownCollections()), ...(current === null ? [] : [current])]))
      await this.#server.drop(name);
  }

  async #ownCollections(): Promise<readonly string[]> {
    return (await this.#server.collections()).filter((name) => !Number.isNaN(this.#createdAt(name)));
  }

  /** Returns the time of creation; `NaN` for a different model's collection, which is then neither older nor newer. */
  #createdAt(name: string): number {
    return Number(new RegExp(`^${this.#alias}-g(\\d+)-[0-9a-f]{4}$`).exec(name)?.[1]);
  }

  /** Whether the first collection is older. All processes break ties within a millisecond the same way. */
  #isOlder(name: string, other: string): boolean {
    const [at, otherAt] = [this.#createdAt(name), this.#createdAt(other)];
    return at < otherAt || (at === otherAt && name < other);
  }
}
