import type { Locator, Page } from 'playwright-core';

/** The effort of one step of a walkthrough. */
export interface Effort {
  /** The number of mouse clicks, keys that choose, and file drops. */
  actions: number;
  /** The number of fields that were filled in by typing or pasting. */
  fields: number;
}

/** Uses a page as a person does, and counts the effort. Throws if the page shows an id, or if one has to be typed. */
export interface CountingUser {
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
  readonly step: (name: string, run: () => Promise<void>) => Promise<void>;
  readonly getEfforts: () => ReadonlyMap<string, Effort>;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export const createCountingUser = (page: Page): CountingUser => {
  const expectedIds = new Set<string>();
  const efforts = new Map<string, Effort>();
  let currentEffort: Effort = { actions: 0, fields: 0 };
  const countActions = (count = 1): void => void (currentEffort.actions += count);
  const countField = (text: string): void => {
    if (text.match(uuid)) throw new Error(`An id must be typed: ${text}`);
    currentEffort.fields += 1;
  };
  const checkForIds = async (): Promise<void> => {
    const ids = (await page.locator('body').innerText()).match(uuid) ?? [];
    const id = ids.find((value) => !expectedIds.has(value));
    if (id) throw new Error(`The page ${page.url()} shows the id ${id}`);
  };
  return {
    click: async (target) => {
      await target.waitFor();
      // A person reads the page before clicking.
      await checkForIds();
      countActions();
      await target.click();
    },
    press: async (target, key) => {
      countActions();
      await target.press(key);
    },
    type: async (target, text) => {
      countField(text);
      await target.fill(text);
    },
    paste: async (target, text) => {
      countField(text);
      await page.evaluate((content) => navigator.clipboard.writeText(content), text);
      await target.focus();
      await page.keyboard.press('Control+V');
    },
    choose: async (target, label) => {
      countActions(2);
      await target.selectOption(label);
    },
    drop: async (zone, files) => {
      countActions();
      const dataTransfer = await page.evaluateHandle((contents) => {
        const transfer = new DataTransfer();
        for (const [name, content] of Object.entries(contents)) transfer.items.add(new File([content], name));
        return transfer;
      }, files);
      await page.dispatchEvent('h1', 'dragenter', { dataTransfer });
      await page.dispatchEvent(zone, 'drop', { dataTransfer });
    },
    open: async (link) => {
      countActions();
      await page.goto(link);
    },
    expectId: (id) => void expectedIds.add(id),
    step: async (name, run) => {
      currentEffort = { actions: 0, fields: 0 };
      efforts.set(name, currentEffort);
      await run();
      await checkForIds();
    },
    getEfforts: () => efforts,
  };
};
