export { startBackground } from './background.ts';
export { compose, type Portico } from './compose.ts';
export { localAdmin, readConfig, type Config } from './config.ts';
export { endInOrder } from './end-in-order.ts';
export { ConfigurationError, type Environment } from './environment.ts';
export { createLogger } from './logging.ts';
export { openLocalIssuer } from './local-issuer.ts';
export { startFailure } from './start-failure.ts';
export type { LocalIssuer } from '@portico/identity';
