/** Says once that something began to fail, and once that it works again. */
export interface Outage {
  readonly active: boolean;
  begin(reason: string): void;
  end(): void;
}

export const createOutage = (place: string, warn: (message: string) => void): Outage => {
  let active = false;
  return {
    get active() {
      return active;
    },
    begin(reason) {
      if (active) return;
      active = true;
      warn(`Redis at ${place} takes no jobs (${reason}): they wait in the outbox`);
    },
    end() {
      if (!active) return;
      active = false;
      warn(`Redis at ${place} takes jobs again`);
    },
  };
};
