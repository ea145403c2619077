import { describe } from 'vitest';
import { startComposed } from '../start-composed.ts';
import { startServers } from '../start-servers.ts';
import { allWebhooks } from './webhooks.ts';

const servers = await startServers();

// Webhooks do not depend on calls.
const createVariables = async () => ({ ...(await servers?.createVariables()), CALLS: 'off' });

describe.skipIf(!servers)('on PostgreSQL and Redis', () => allWebhooks(startComposed(createVariables)));
