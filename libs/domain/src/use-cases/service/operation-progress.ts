import type { OperationProgress } from '../../operations/operation-block.ts';
import type { Ports } from '../../ports/index.ts';
import { shareResult } from './share-result.ts';

/** Counting takes a few milliseconds, and the metrics can be read without a credential. */
const ttlMs = 1_000;

/**
 * Creates a function that returns the progress of reading and embedding the operations of all collections; null while
 * the model is not known.
 */
export const readOperationProgress = (ports: Pick<Ports, 'clock' | 'operationBlocks' | 'operationEmbedder'>) =>
  shareResult(ports.clock, ttlMs, async (): Promise<OperationProgress | null> => {
    const modelId = await ports.operationEmbedder.getModelId().catch(() => null);
    return modelId === null ? null : ports.operationBlocks.readProgress(modelId);
  });
