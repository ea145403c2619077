import { rejectOnTimeout } from '@portico/dependencies';
import axe, { type AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { waitLimit } from './chromium.ts';

/** WCAG 2.2 AA, including 2.0 and 2.1, and axe's best practices. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22a', 'wcag22aa', 'best-practice'];

/** Fails if the page breaks an accessibility rule, and names the elements that break it. */
export const expectAccessible = async (page: Page): Promise<void> => {
  expect(await findBrokenRules(page)).toEqual([]);
};

/**
 * Finishes color transitions. Even with reduced motion, a style keeps its old value until the next frame, and a browser
 * that is short of CPU time may not draw one.
 */
const finishTransitions = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
  });

/** Returns one string for each rule that the page breaks, with the elements that break it. */
export const findBrokenRules = async (page: Page): Promise<readonly string[]> => {
  await rejectOnTimeout(waitLimit, finishTransitions(page));
  return await rejectOnTimeout(waitLimit, runAxe(page));
};

/** Runs axe in an isolated world, so that the page's Content-Security-Policy remains in force. */
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
    if (passes.length === 0) throw new Error('axe found nothing to check');
    return violations.map(toText);
  } finally {
    await session.detach();
  }
};

const toText = ({ id, help, nodes }: AxeResults['violations'][number]): string =>
  [`${id}: ${help}`, ...nodes.map(({ html, failureSummary }) => `  ${html}\n    ${failureSummary ?? ''}`)].join('\n');
