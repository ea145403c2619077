import type { Locator, Page } from 'playwright-core';

/** The effort of one step of a walk. */
export interface Effort {
  /** The number of mouse clicks, keys that choose, and file drops. */
  acts: number;
  /** The number of fields that were filled in by typing or pasting. */
  fields: number;
}

/** Uses a page as a person does, and counts the effort. Throws if the page shows an id, or if one has to be typed. */
export interface Hand {
  readonly click: (target: Locator) => Promise<void>;
  /** Presses a key that chooses, such as Enter. */
  readonly press: (target: Locator, key: string) => Promise<void>;
  readonly type: (target: Locator, text: string) => Promise<void>;
  /** Pastes from the clipboard with the keyboard, which counts as one field. */
  readonly paste: (target: Locator, text: string) => Promise<void>;
  /** Opens a list and selects an option, which counts as two clicks. */
  readonly choose: (target: Locator, label: string) => Promise<void>;
  /** Drops files from the desktop on the drop zone that the page shows while they are dragged. */
  readonly drop: (zone: string, files: Readonly<Record<string, string>>) => Promise<void>;
  /** Opens a link. */
  readonly open: (link: string) => Promise<void>;
  /** Allows an id that the page has to show: the id of an API key. */
  readonly expectId: (id: string) => void;
  /** Runs a step, and throws if the page shows an id at the end of the step. */
  readonly step: (name: string, work: () => Promise<void>) => Promise<void>;
  readonly efforts: () => ReadonlyMap<string, Effort>;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export const createHand = (page: Page): Hand => {
  const expected = new Set<string>();
  const efforts = new Map<string, Effort>();
  let now: Effort = { acts: 0, fields: 0 };
  const act = (count = 1): void => void (now.acts += count);
  const field = (text: string): void => {
    if (text.match(uuid)) throw new Error(`An id must be typed: ${text}`);
    now.fields += 1;
  };
  const look = async (): Promise<void> => {
    const ids = (await page.locator('body').innerText()).match(uuid) ?? [];
    const id = ids.find((value) => !expected.has(value));
    if (id) throw new Error(`The page ${page.url()} shows the id ${id}`);
  };
  return {
    click: async (target) => {
      await target.waitFor();
      // A person reads the page before clicking.
      await look();
      act();
      await target.click();
    },
    press: async (target, key) => {
      act();
      await target.press(key);
    },
    type: async (target, text) => {
      field(text);
      await target.fill(text);
    },
    paste: async (target, text) => {
      field(text);
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
      await target.focus();
      await page.keyboard.press('Control+V');
    },
    choose: async (target, label) => {
      act(2);
      await target.selectOption(label);
    },
    drop: async (zone, files) => {
      act();
      const dataTransfer = await page.evaluateHandle((contents) => {
        const transfer = new DataTransfer();
        for (const [name, content] of Object.entries(contents)) transfer.items.add(new File([content], name));
        return transfer;
      }, files);
      await page.dispatchEvent('h1', 'dragenter', { dataTransfer });
      await page.dispatchEvent(zone, 'drop', { dataTransfer });
    },
    open: async (link) => {
      act();
      await page.goto(link);
    },
    expectId: (id) => void expected.add(id),
    step: async (name, work) => {
      now = { acts: 0, fields: 0 };
      efforts.set(name, now);
      await work();
      await look();
    },
    efforts: () => efforts,
  };
};
