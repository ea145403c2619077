import { randomBytes } from 'node:crypto';
import { embeddingDimension } from '@portico/domain';
import { modelDigestOf, prefixOf } from './names.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import type { QdrantServer } from './qdrant-server.ts';
import type { Shape } from './read-response.ts';

/**
 * The age from which an unused collection was left behind by a crash. Another process may still be filling a newer one.
 */
const abandonedAfterMs = 3_600_000;

/** The first Qdrant version with conditional writes. */
const minVersion = [1, 16] as const;

/**
 * Returns the alias of a model: the installation's prefix, and enough of a digest to distinguish the installation's
 * models.
 */
export const aliasOf = (installation: string, modelId: string): string =>
  `${prefixOf(installation)}${modelDigestOf(modelId)}`;

export const checkVersion = async (server: Pick<QdrantServer, 'readVersion'>): Promise<void> => {
  const version = await server.readVersion();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < minVersion[0] || (major === minVersion[0] && minor < minVersion[1])) {
    throw new QdrantFailure('rejected', `Qdrant ${version} is too old: ${minVersion.join('.')} or newer is required`);
  }
};

/**
 * Returns the installation's collections for all models: those in use, and others that are being filled or were
 * abandoned.
 */
export const collectionsOf = async (
  server: QdrantServer,
  installation: string,
): Promise<{ readonly namesInUse: readonly string[]; readonly unusedNames: readonly string[] }> => {
  const [aliases, names] = [await server.readAliases(), await server.listCollections()];
  const [isAlias, isName] = ['', '-g\\d+-[0-9a-f]{4}'].map((suffix) => {
    const pattern = new RegExp(`^${prefixOf(installation)}[0-9a-f]{8}${suffix}$`);
    return (text: string) => pattern.test(text);
  }) as [(text: string) => boolean, (text: string) => boolean];
  const namesInUse = new Set([...aliases].filter(([alias]) => isAlias(alias)).map(([, name]) => name));
  return { namesInUse: [...namesInUse], unusedNames: names.filter((name) => isName(name) && !namesInUse.has(name)) };
};

/** Returns the reason a collection of this shape cannot be used, or null if it can. */
export const findShapeProblem = ({ size, distance }: Shape): string | null =>
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
  async findCurrent(): Promise<string | null> {
    return (await this.#server.readAliases()).get(this.#alias) ?? null;
  }

  /** Returns the reason the collection cannot be used, or null if it can. */
  async findProblem(name: string): Promise<string | null> {
    return findShapeProblem(await this.#server.readShape(name));
  }

  /**
   * Creates an unused collection. It counts as newer than all existing ones, even if another machine's clock is ahead.
   */
  async create(): Promise<string> {
    const newestAt = Math.max(0, ...(await this.#listCollections()).map((name) => this.#createdAt(name)));
    const name = `${this.#alias}-g${Math.max(Date.now(), newestAt + 1)}-${randomBytes(2).toString('hex')}`;
    await this.#server.create(name);
    return name;
  }

  /** Switches to this collection. Throws if the current one is newer. */
  async switchTo(name: string): Promise<void> {
    const current = await this.findCurrent();
    if (current !== null && this.#isOlder(name, current)) {
      throw new QdrantFailure('missing', `a newer collection is in use: ${current}`);
    }
    await this.#server.pointAlias(this.#alias, name);
  }

  /** Deletes collections older than the one in use, and those that were never completed. */
  async clear(): Promise<void> {
    const aliases = await this.#server.readAliases();
    const [current, namesInUse] = [aliases.get(this.#alias), new Set(aliases.values())];
    for (const name of await this.#listCollections()) {
      const isAbandoned = this.#createdAt(name) < Date.now() - abandonedAfterMs;
      if (namesInUse.has(name)) continue;
      if (isAbandoned || (current !== undefined && this.#isOlder(name, current))) await this.#server.drop(name);
    }
  }

  /** Deletes all collections of the model. */
  async drop(): Promise<void> {
    const current = await this.findCurrent();
    for (const name of new Set([...(await this.#listCollections()), ...(current === null ? [] : [current])]))
      await this.#server.drop(name);
  }

  async #listCollections(): Promise<readonly string[]> {
    return (await this.#server.listCollections()).filter((name) => !Number.isNaN(this.#createdAt(name)));
  }

  /** Returns the time of creation; `NaN` for a different model's collection, which is then neither older nor newer. */
  #createdAt(name: string): number {
    return Number(new RegExp(`^${this.#alias}-g(\\d+)-[0-9a-f]{4}$`).exec(name)?.[1]);
  }

  /** Whether the first collection is older. All processes break ties within a millisecond the same way. */
  #isOlder(name: string, otherName: string): boolean {
    const [createdAt, otherCreatedAt] = [this.#createdAt(name), this.#createdAt(otherName)];
    return createdAt < otherCreatedAt || (createdAt === otherCreatedAt && name < otherName);
  }
}
