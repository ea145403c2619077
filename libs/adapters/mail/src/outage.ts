/** Says once that the mail server began to fail, and once that it works again. */
export interface Outage {
  begin(reason: string): void;
  end(): void;
}

export interface OutageLog {
  readonly warn: (message: string) => void;
  readonly info: (message: string) => void;
}

export const createOutage = ({ warn, info }: OutageLog): Outage => {
  let isOn = false;
  return {
    begin(reason) {
      if (!isOn) warn(`The mail server is of no use, and mails wait: ${reason}`);
      isOn = true;
    },
    end() {
      if (isOn) info('The mail server works again');
      isOn = false;
    },
  };
};
