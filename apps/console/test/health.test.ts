import { startSmtpServer } from '@portico/test-servers';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { expectAccessible } from './accessible.ts';
import { startConsoleService, type ConsoleService, type Person } from './console-service.ts';
import { provideBrowser } from './provide-service.ts';
import { openPage, screenshot, signIn } from './watched-page.ts';

const browser = await provideBrowser();

const ada: Person = { uid: 'ada', email: 'ada@example.com' };

describe.skipIf(!browser)('health', () => {
  if (!browser) return;
  let service: ConsoleService;
  let smtpServer: Awaited<ReturnType<typeof startSmtpServer>>;
  beforeAll(async () => {
    smtpServer = await startSmtpServer();
    smtpServer?.setScript({ rcpt: '550 5.1.1 no such user' });
    service = await startConsoleService({ SMTP_URL: smtpServer?.url ?? '', MAIL_FROM: 'portico@example.com' });
    await service.register(ada);
    const listDeadJobs = () => service.request<readonly unknown[]>('GET', '/api/jobs/dead');
    await vi.waitFor(async () => expect(await listDeadJobs()).not.toHaveLength(0), { timeout: 2 * 60_000 });
  });
  afterAll(async () => {
    await service.close();
    await smtpServer?.close();
  });

  test.each(['light', 'dark'] as const)(
    'shows the state of the service and failed jobs, in the %s theme',
    async (theme) => {
      const { page } = await openPage(browser, service, { theme });
      await signIn(page, service, undefined, '/health');
      await page.getByText('ready', { exact: true }).waitFor();
      const failedJobs = page.getByRole('table', { name: 'Failed jobs' });
      await failedJobs.getByText('Mail: credentials').waitFor();
      await failedJobs.getByText(/contained a secret/).waitFor();
      await expectAccessible(page);
      await screenshot(page, `health ${theme}`);
    },
  );

  test('asks before it rebuilds the search index and before it discards a job', async () => {
    const { page } = await openPage(browser, service, { viewport: { width: 360, height: 800 } });
    await signIn(page, service, undefined, '/health');
    await page.getByRole('button', { name: 'Rebuild' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }).click();
    await page.getByText('The rebuild has started.').waitFor();
    await page.getByText(/^Done: 0 APIs/).waitFor();
    await page.getByRole('button', { name: `Discard: Mail: credentials, ${ada.email}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await page.getByText('The job was discarded.').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth)).toBe(false);
  });
});
