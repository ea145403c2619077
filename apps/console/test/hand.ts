import type { Locator, Page } from 'playwright-core';

/** What one step of a walk took. */
export interface Effort {
  /** Mouse clicks, keys that choose, and files dropped: each one act of the hand. */
  acts: number;
  /** Fields that were typed or pasted into. */
  fields: number;
}

/** A hand that works in a page as a person does, and counts. It meets no id: none is shown to it, and it types none. */
export interface Hand {
  readonly click: (target: Locator) => Promise<void>;
  /** A key that chooses, such as Enter. */
  readonly press: (target: Locator, key: string) => Promise<void>;
  readonly type: (target: Locator, text: string) => Promise<void>;
  /** Pastes with the keys, from the clipboard: one field. */
  readonly paste: (target: Locator, text: string) => Promise<void>;
  /** Opens a list of choices and takes one: two clicks. */
  readonly choose: (target: Locator, label: string) => Promise<void>;
  /** Drops files as from the desktop: onto what the page shows while they are over it. */
  readonly drop: (zone: string, files: Readonly<Record<string, string>>) => Promise<void>;
  /** Opens an address that it was given as a link. */
  readonly open: (link: string) => Promise<void>;
  /** Takes an id that a page shows because somebody needs it: the one that goes with an API key. */
  readonly expectId: (id: string) => void;
  /** Does a step, and fails if the page shows an id at its end. */
  readonly step: (name: string, work: () => Promise<void>) => Promise<void>;
  readonly efforts: () => ReadonlyMap<string, Effort>;
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;

export const handOn = (page: Page): Hand => {
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
    const id = ids.find((shown) => !expected.has(shown));
    if (id) throw new Error(`The page ${page.url()} shows the id ${id}`);
  };
  return {
    click: async (target) => {
      await target.waitFor();
      // What it clicks at is what it has read.
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
      const dataTransfer = await page.evaluateHandle((given) => {
        const transfer = new DataTransfer();
        for (const [name, content] of Object.entries(given)) transfer.items.add(new File([content], name));
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
