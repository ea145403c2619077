/** How attempts to deliver an event ended; `gone`: the receiver responded 410. */
export const deliveryOutcomes = ['delivered', 'failed', 'gone'] as const;

export type DeliveryOutcome = (typeof deliveryOutcomes)[number];

/** The attempts of this process since it started, for the metrics. */
export type DeliveryTotals = Readonly<Record<DeliveryOutcome, number>>;

export interface DeliveryCounter {
  readonly count: (outcome: DeliveryOutcome) => void;
  readonly getTotals: () => DeliveryTotals;
}

export interface WithDeliveryCounter {
  readonly deliveryCounter: DeliveryCounter;
}

export const createDeliveryCounter = (): DeliveryCounter => {
  const totals = { delivered: 0, failed: 0, gone: 0 };
  return {
    count(outcome) {
      totals[outcome] += 1;
    },
    getTotals: () => ({ ...totals }),
  };
};
