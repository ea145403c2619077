import { Container } from 'inversify';
import type { LocalIssuer } from '@portico/identity';
import type { Config } from '../config.ts';
import { prepareDataDir } from './data-dir.ts';
import { createLogger } from '../runtime/logging.ts';
import { identifierOf, provideInto } from './parts.ts';

/** The local issuer alone, without the stores; null where it is off. It can be had beside a running service. */
export const openLocalIssuer = async (config: Config): Promise<LocalIssuer | null> => {
  prepareDataDir(config);
  const container = new Container();
  const provide = provideInto(container, []);
  provide('config', [], () => config);
  provide('logger', [], () => createLogger('silent', config.serviceName));
  (await import('./modules/system.ts')).systemModule(provide);
  (await import('./modules/identity.ts')).identityModule(provide);
  return container.getAsync(identifierOf('localIssuer'));
};
