import type { Browser, Page, Request } from 'playwright-core';

/** The measurements of opening a page. */
export interface PageMeasurement {
  /** The time from the click to the first frame with the heading and the first rows or figures. */
  readonly contentMs: number;
  readonly requests: number;
  readonly apiRequests: number;
  /** The size of the scripts as transferred, with gzip. */
  readonly scriptBytes: number;
  readonly styleBytes: number;
  /** The number of the page's tasks that took over 50 ms, and the duration of the longest. */
  readonly longTasks: number;
  readonly longestTaskMs: number;
}

/** A page to measure: its path in the console, and the selector of its first content. */
export interface MeasuredPage {
  readonly path: string;
  readonly content: string;
}

interface WatchedWindow extends Window {
  longTasks: number[];
}

const waitMs = 60_000;

/** Opens a page with an empty cache, signed in on a different page from the one to measure. */
export const openSignedIn = async (browser: Browser, link: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(waitMs);
  await context.addInitScript(() => {
    const watchedWindow = window as unknown as WatchedWindow;
    watchedWindow.longTasks = [];
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) watchedWindow.longTasks.push(duration);
    }).observe({ type: 'longtask', buffered: true });
  });
  const page = await context.newPage();
  await page.goto(link);
  await page.locator('#content h1').waitFor();
  await page.waitForLoadState('networkidle');
  return page;
};

/** Opens the link with an empty cache, and measures the very first view, including the sign-in. */
export const openFirst = async (
  browser: Browser,
  link: string,
  pageToMeasure: MeasuredPage,
): Promise<PageMeasurement> => {
  const context = await browser.newContext({ viewport: { width: 1_280, height: 800 }, reducedMotion: 'reduce' });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  const traffic = listenTo(page);
  const start = performance.now();
  await page.goto(link);
  await page.locator('#content').locator(pageToMeasure.content).first().waitFor();
  const contentMs = performance.now() - start;
  await page.waitForLoadState('networkidle');
  const measurement = { contentMs, ...(await traffic()), longTasks: 0, longestTaskMs: 0 };
  await context.close();
  return measurement;
};

/** Navigates to the page as the menu does. */
export const navigateTo = async (page: Page, { path, content }: MeasuredPage): Promise<PageMeasurement> => {
  const traffic = listenTo(page);
  const { contentMs, tasks } = await page.evaluate(
    async ([address, selector, limit]) => {
      const watchedWindow = window as unknown as WatchedWindow;
      watchedWindow.longTasks.length = 0;
      const previousHeading = document.querySelector('#content h1');
      const start = performance.now();
      window.history.pushState(null, '', address);
      window.dispatchEvent(new PopStateEvent('popstate', { state: null }));
      const waitForFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));
      const isLoaded = () => {
        const heading = document.querySelector('#content h1');
        return (
          heading !== null && heading !== previousHeading && document.querySelector(`#content ${selector}`) !== null
        );
      };
      while (!isLoaded() && performance.now() - start < limit) await waitForFrame();
      const contentMs = performance.now() - start;
      // A task is reported after it ends.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return { contentMs, tasks: [...watchedWindow.longTasks] };
    },
    [`/console${path}`, content, waitMs] as const,
  );
  await page.waitForLoadState('networkidle');
  return { contentMs, ...(await traffic()), longTasks: tasks.length, longestTaskMs: Math.max(0, ...tasks) };
};

/** Scrolls by this many pixels with the wheel. Returns the times of all frames in ms. */
export const scrollBy = async (page: Page, pixels: number): Promise<readonly number[]> => {
  await page.mouse.move(640, 500);
  await page.evaluate(() => {
    const watchedWindow = window as unknown as { frames: number[]; scrolling: boolean };
    watchedWindow.frames = [];
    watchedWindow.scrolling = true;
    let last = performance.now();
    const recordFrame = (now: number): void => {
      watchedWindow.frames.push(now - last);
      last = now;
      if (watchedWindow.scrolling) requestAnimationFrame(recordFrame);
    };
    requestAnimationFrame(recordFrame);
  });
  const stepPixels = 400;
  for (let scrolledPixels = 0; scrolledPixels < pixels; scrolledPixels += stepPixels)
    await page.mouse.wheel(0, stepPixels);
  return page.evaluate(() => {
    const watchedWindow = window as unknown as { frames: number[]; scrolling: boolean };
    watchedWindow.scrolling = false;
    return watchedWindow.frames;
  });
};

/** Counts the page's requests until the returned function is called. */
const listenTo = (page: Page) => {
  const requests: Request[] = [];
  const record = (request: Request): void => void requests.push(request);
  page.on('request', record);
  return async () => {
    page.off('request', record);
    const bytesOf = async (type: string): Promise<number> => {
      const sizes = await Promise.all(
        requests
          .filter((request) => request.resourceType() === type)
          .map(async (request) => (await request.response()) && (await request.sizes()).responseBodySize),
      );
      return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
    };
    const apiRequests = requests.filter((request) => new URL(request.url()).pathname.startsWith('/api/'));
    return {
      requests: requests.length,
      apiRequests: apiRequests.length,
      scriptBytes: await bytesOf('script'),
      styleBytes: await bytesOf('stylesheet'),
    };
  };
};
