import type { OperationDayUse, OperationUsageKind } from './usage.ts';

/** Adds up the uses of operations in memory until they are written. */
export interface OperationCounter {
  /** Adds uses to those of the same day, profile and operation. Ignores those of a new operation if too many wait. */
  readonly add: (use: OperationDayUse) => void;
  /** Removes and returns the uses since the last call. */
  readonly take: () => readonly OperationDayUse[];
}

/**
 * The maximum number of waiting counts of operations, about 20 MB. Uses of further operations are not lost: the counts
 * of their collections include them.
 */
export const pendingOperationsMax = 50_000;

export const createOperationCounter = (): OperationCounter => {
  let pendingUses = new Map<string, PendingUse>();
  return {
    add({ counts, ...use }) {
      // One key for all four is slower than nested maps, but uses of operations take far longer than this.
      const key = `${use.day} ${use.profileId} ${use.collectionId} ${use.operationKey}`;
      const pendingUse = pendingUses.get(key);
      if (!pendingUse) {
        if (pendingUses.size < pendingOperationsMax) pendingUses.set(key, { ...use, counts: { ...counts } });
        return;
      }
      pendingUse.counts.slice += counts.slice;
      pendingUse.counts.call += counts.call;
      pendingUse.lastUsedAt = Math.max(pendingUse.lastUsedAt, use.lastUsedAt);
    },

    take() {
      const uses = [...pendingUses.values()];
      pendingUses = new Map();
      return uses;
    },
  };
};

interface PendingUse extends OperationDayUse {
  readonly counts: { -readonly [Kind in OperationUsageKind]: number };
  lastUsedAt: OperationDayUse['lastUsedAt'];
}
