import { randomBytes } from 'node:crypto';
import { embeddingDimension } from '@portico/domain';
import { modelDigest, prefixOf } from './names.ts';
import { QdrantFailure } from './qdrant-failure.ts';
import type { QdrantServer } from './qdrant-server.ts';
import type { Shape } from './read-answer.ts';

/** Older unused collections were left behind by a crash; younger ones may still be filling. */
const unfinishedMs = 3_600_000;

/** The first release with conditional writes. */
const leastVersion = [1, 16] as const;

/** The alias of a model: the installation's prefix, and enough of a digest to tell its models apart. */
export const aliasOf = (installation: string, modelId: string): string =>
  `${prefixOf(installation)}${modelDigest(modelId)}`;

export const checkVersion = async (server: Pick<QdrantServer, 'version'>): Promise<void> => {
  const version = await server.version();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < leastVersion[0] || (major === leastVersion[0] && minor < leastVersion[1])) {
    throw new QdrantFailure('refused', `Qdrant ${version} is too old: ${leastVersion.join('.')} or newer is needed`);
  }
};

/** All collections of the installation, of every model: those in use, and those being filled or left behind. */
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

/** Why a collection of this shape cannot be used, or null. */
export const unfitnessOf = ({ size, distance }: Shape): string | null =>
  size === embeddingDimension && distance === 'Cosine'
    ? null
    : `its vectors have ${String(size)} dimensions with ${String(distance)}, not ${embeddingDimension} with Cosine`;

/**
 * The collections of one model. Each is named after the model's alias and its time of creation, and the alias points to
 * the one in use. Several processes may each fill one at the same time: the newest wins.
 */
export class Generations {
  readonly #server: QdrantServer;
  readonly #alias: string;

  constructor(server: QdrantServer, installation: string, modelId: string) {
    this.#server = server;
    this.#alias = aliasOf(installation, modelId);
  }

  /** The collection in use, or null. */
  async current(): Promise<string | null> {
    return (await this.#server.aliases()).get(this.#alias) ?? null;
  }

  /** Why the collection cannot be used, or null. */
  async unfitness(name: string): Promise<string | null> {
    return unfitnessOf(await this.#server.shape(name));
  }

  /** Creates a collection, not in use yet. It is newer than all existing ones, whatever other machines' clocks say. */
  async create(): Promise<string> {
    const latest = Math.max(0, ...(await this.#own()).map((name) => this.#madeAt(name)));
    const name = `${this.#alias}-g${Math.max(Date.now(), latest + 1)}-${randomBytes(2).toString('hex')}`;
    await this.#server.create(name);
    return name;
  }

  /** Puts it into use, unless the current one is newer. */
  async use(name: string): Promise<void> {
    const current = await this.current();
    if (current !== null && this.#isOlder(name, current)) {
      throw new QdrantFailure('missing', `a newer collection is in use: ${current}`);
    }
    await this.#server.pointAlias(this.#alias, name);
  }

  /** Deletes collections older than the one in use, and those that were never finished. */
  async clear(): Promise<void> {
    const aliases = await this.#server.aliases();
    const [current, inUse] = [aliases.get(this.#alias), new Set(aliases.values())];
    for (const name of await this.#own()) {
      const isUnfinished = this.#madeAt(name) < Date.now() - unfinishedMs;
      if (inUse.has(name)) continue;
      if (isUnfinished || (current !== undefined && this.#isOlder(name, current))) await this.#server.drop(name);
    }
  }

  /** Deletes all collections of the model. */
  async drop(): Promise<void> {
    const current = await this.current();
    for (const name of new Set([...(await this.#own()), ...(current === null ? [] : [current])]))
      await this.#server.drop(name);
  }

  async #own(): Promise<readonly string[]> {
    return (await this.#server.collections()).filter((name) => !Number.isNaN(this.#madeAt(name)));
  }

  /** `NaN` for a foreign collection, which compares as neither older nor newer. */
  #madeAt(name: string): number {
    return Number(new RegExp(`^${this.#alias}-g(\\d+)-[0-9a-f]{4}$`).exec(name)?.[1]);
  }

  /** Ties within a millisecond are broken the same way by every process. */
  #isOlder(name: string, other: string): boolean {
    const [at, otherAt] = [this.#madeAt(name), this.#madeAt(other)];
    return at < otherAt || (at === otherAt && name < other);
  }
}
