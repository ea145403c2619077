import type { LocalIssuer } from '@portico/identity';
import { pino } from 'pino';
import type { Config } from '../config.ts';
import { dutiesOf } from '../process-role.ts';
import { openContainer } from './container.ts';

/** Opens the local issuer without the stores, even while the service is running. Returns null if it is off. */
export const openLocalIssuer = async (config: Config): Promise<LocalIssuer | null> => {
  const { systemModule } = await import('./modules/system.ts');
  const { identityModule } = await import('./modules/identity.ts');
  const modules = [systemModule, identityModule];
  return openContainer(config, dutiesOf('tool', config), pino({ level: 'silent' }), modules).get('localIssuer');
};
