import type { OperationProgress } from '../../operations/operation-block.ts';
import type { Ports } from '../../ports/index.ts';
import { sharedAnswer } from './shared-answer.ts';

/** Counting takes some milliseconds, and the metrics can be read without a credential. */
const keptMs = 1_000;

/** How far the operations of all collections have been read and embedded; null while the model is not known. */
export const readOperationProgress = (ports: Pick<Ports, 'clock' | 'operationBlocks' | 'operationEmbedder'>) =>
  sharedAnswer(ports.clock, keptMs, async (): Promise<OperationProgress | null> => {
    const modelId = await ports.operationEmbedder.modelId().catch(() => null);
    return modelId === null ? null : ports.operationBlocks.progress(modelId);
  });
