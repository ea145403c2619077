import { createHarness } from '@portico/testing';
import { operationsOf } from '../../src/mcp/operation-use-cases.ts';

/** Whether the menu has the use cases about operations. */
export const knowsOperations = operationsOf(createHarness().useCases) !== null;
