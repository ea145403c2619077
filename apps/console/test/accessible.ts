import { within } from '@portico/dependencies';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitLimit } from './chromium.ts';

/** WCAG 2.2 AA, which includes 2.0 and 2.1, and the best practices of axe. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

/** Fails for each rule of accessibility that the page breaks, and names the elements that break it. */
export const expectAccessible = async (page: Page): Promise<void> => {
  expect(await brokenRules(page)).toEqual([]);
};

/**
 * Ends changes of color. Even with reduced motion, a style reads as before until the next frame, and a browser that is
 * short of processor time may not draw one.
 */
const finishTransitions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });

/** The rules that the page breaks: one text each, which names the elements. */
export const brokenRules = async (page: Page): Promise<readonly string[]> => {
  await within(waitLimit, finishTransitions(page));
  return await within(waitLimit, runAxe(page));
};

/** axe runs in a world of its own beside the page's scripts, so that the page's policy stays in force. */
const runAxe = async (page: Page): Promise<readonly string[]> => {
  const session = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await session.send('Page.getFrameTree');
    const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'accessibility',
    });
    await session.send('Runtime.evaluate', { expression: axe.source, contextId });
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      expression: `axe.run(document, ${JSON.stringify({ runOnly: rules, resultTypes: ['violations'] })})`,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    const { violations, passes } = result.value as AxeResults;
    if (passes.length === 0) throw new Error('axe found nothing to look at');
    return violations.map(told);
  } finally {
    await session.detach();
  }
};

const told = ({ id, help, nodes }: AxeResults['violations'][number]): string =>
  [`${id}: ${help}`, ...nodes.map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ''}`)].join('\n');
