import { startInMemory } from '../start-in-memory.ts';
import { allWebhooks } from './webhooks.ts';

allWebhooks(startInMemory);
