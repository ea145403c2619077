import 'reflect-metadata';
import { Container, type ServiceIdentifier } from 'inversify';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import type { Duties } from '../process-role.ts';
import { closeAll, type Closer } from './close-all.ts';
import { prepareDataDir } from './data-dir.ts';
import { Closable, type Module, type PartName, type Parts, type Provide } from './parts.ts';

/** What the modules provide. Each part is made once, when it is first asked for. */
export interface OpenedContainer {
  readonly get: <Name extends PartName>(name: Name) => Promise<Parts[Name]>;
  /** Closes everything in reverse order of opening. */
  readonly close: () => Promise<void>;
}

/** Creates the data folder and lets the modules provide their parts. */
export const openContainer = (
  config: Config,
  duties: Duties,
  logger: Logger,
  modules: readonly Module[],
): OpenedContainer => {
  prepareDataDir(config);
  const container = new Container();
  const closers: Closer[] = [];
  const provide = provideInto(container, closers);
  provide('config', [], () => config);
  provide('duties', [], () => duties);
  provide('logger', [], () => logger);
  for (const load of modules) load(provide);
  return { get: (name) => container.getAsync(identifierOf(name)), close: () => closeAll(closers, logger) };
};

const identifierOf = <Name extends PartName>(name: Name): ServiceIdentifier<Parts[Name]> => `portico:${name}`;

/** Binds parts into an inversify container as singletons; pushes the closer of each onto `closers` as it is made. */
const provideInto =
  (container: Container, closers: Closer[]): Provide =>
  (name, needs, make) => {
    const build = async (...things: never[]) => {
      const made = await (make as (...things: never[]) => unknown)(...things);
      if (!(made instanceof Closable)) return made;
      closers.push(made.close);
      return made.thing as unknown;
    };
    container
      .bind(identifierOf(name))
      .toResolvedValue(build as never, needs.map(identifierOf) as never)
      .inSingletonScope();
  };
