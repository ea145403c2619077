import { consoleClientId, findFreePort, startIdentityProvider, type TestIdentityProvider } from '@portico/test-servers';
import type { Browser, Page } from 'playwright-core';
import { startConsoleService, type ConsoleService } from './console-service.ts';
import { openPage, type WatchedPage } from './watched-page.ts';

/** A person with an account at the provider. */
export interface PersonAtProvider {
  readonly uid: string;
  readonly email: string;
  readonly emailVerified: true;
}

export const personAtProvider = (name: string): PersonAtProvider => ({
  uid: `${name}-at-provider`,
  email: `${name}@example.com`,
  emailVerified: true,
});

export interface ConsoleAtProvider {
  readonly provider: TestIdentityProvider;
  /** The service, whose local issuer remains enabled, but only for the first admin. */
  readonly service: ConsoleService;
  /** Opens a page that shows the sign-in card. */
  readonly open: (path?: string) => Promise<WatchedPage>;
  /** Signs in with the provider as this person. */
  readonly signIn: (page: Page, person: PersonAtProvider) => Promise<void>;
  readonly signInButton: (page: Page) => ReturnType<Page['getByRole']>;
  /** Registers the person with a token from the provider and makes them an admin. */
  readonly addAdmin: (person: PersonAtProvider) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Starts the service with its console, and a real OpenID Connect provider where people sign in. */
export const startConsoleAtProvider = async (
  browser: Browser,
  { refreshTokens, idTokenSeconds }: { readonly refreshTokens: boolean; readonly idTokenSeconds: number },
): Promise<ConsoleAtProvider> => {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  const provider = await startIdentityProvider({ idTokenSeconds, console: { origin, refreshTokens } });
  const service = await startConsoleService({
    PORT: String(port),
    IDENTITY_LOCAL: 'true',
    IDENTITY_ISSUER: provider.issuer,
    IDENTITY_AUDIENCE: consoleClientId,
  });
  const signInButton: ConsoleAtProvider['signInButton'] = (page) =>
    page.getByRole('button', { name: `Sign in with ${new URL(provider.issuer).host}` });
  const signIn: ConsoleAtProvider['signIn'] = async (page, person) => {
    provider.logInAs(person);
    await signInButton(page).click();
  };
  return {
    provider,
    service,
    async open(path = '/') {
      const watchedPage = await openPage(browser, service, { origins: [provider.issuer] });
      await watchedPage.page.goto(`${origin}/console${path}`);
      await signInButton(watchedPage.page).waitFor();
      return watchedPage;
    },
    signIn,
    signInButton,
    async addAdmin(person) {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(`${origin}/console/`);
      await signIn(page, person);
      await page.getByLabel('Full name').fill(person.uid);
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByRole('heading', { name: 'Waiting for approval' }).waitFor();
      await context.close();
      const [{ id }] = await service.request<[{ id: string }]>('GET', '/api/profiles/?registration_status=pending');
      await service.request('POST', `/api/profiles/${id}/approve`);
      await service.request('PUT', `/api/profiles/${id}/role`, { role: 'admin' });
    },
    close: async () => {
      await service.close();
      await provider.close();
    },
  };
};
