import type { Tool } from '../tool.ts';
import { accessTools } from './access.ts';
import { apiTools } from './apis.ts';
import { callTools } from './calls.ts';
import { operationTools } from './operations.ts';

/** All tools, in the order that clients list them: the entry point comes first. */
export const tools: readonly Tool[] = [...operationTools, ...apiTools, ...accessTools, ...callTools];
