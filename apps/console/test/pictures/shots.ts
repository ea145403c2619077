import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import type { Organisation } from './organisation.ts';

export interface Shot {
  readonly name: string;
  /** The role to sign in with; null if there is no sign-in. */
  readonly role: 'admin' | 'client' | null;
  readonly path: string;
  /** Prepares the page before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const samples = resolve(import.meta.dirname, '../../../../samples');

const openGrant = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Grant access' }).click();
  const dialog = page.getByRole('dialog');
  await choose(page, 'People', 'jonas', 'Jonas Berg');
  await choose(page, 'Groups', 'travel', 'Travel desk');
  await choose(page, 'APIs', 'bab', 'Babbelry Translation');
  await page.keyboard.press('Tab');
  await dialog.getByLabel('Expires').selectOption('90 days');
};

const choose = async (page: Page, label: string, searchText: string, name: string): Promise<void> => {
  await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(searchText);
  await page.getByRole('option', { name }).first().click();
};

const openOperation = async (page: Page): Promise<void> => {
  await page.getByRole('link', { name: /^POST \/charges(\s|$)/ }).click();
  await page.getByRole('heading', { level: 3 }).first().waitFor();
  await page.locator('#operations').evaluate((heading) => heading.scrollIntoView());
};

const chooseSamples = async (page: Page): Promise<void> => {
  await page.getByText('How a later import matches the same API').click();
  // The tool imported the samples with their paths on this machine.
  await page.getByText('Document title').first().click();
  await page.locator('input[webkitdirectory]').setInputFiles(samples);
  await page
    .getByText(/\d (unchanged|to create|to update)/)
    .first()
    .waitFor();
};

const clickButton = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

export const shotsOf = ({ apis }: Organisation): readonly Shot[] => {
  const paymentsPath = `/apis/${apis.get('Kestrel Pay Charges')}`;
  return [
    { name: 'sign-in', role: null, path: '/' },
    { name: 'people', role: 'admin', path: '/people' },
    { name: 'person', role: 'admin', path: '/people/amara@example.com' },
    { name: 'person-suspended', role: 'admin', path: '/people/daniel@example.com' },
    { name: 'apis', role: 'admin', path: '/apis' },
    { name: 'import', role: 'admin', path: '/apis/import', prepare: chooseSamples },
    { name: 'import-empty', role: 'admin', path: '/apis/import' },
    { name: 'api', role: 'admin', path: paymentsPath },
    { name: 'operation', role: 'admin', path: paymentsPath, prepare: openOperation },
    { name: 'access', role: 'admin', path: '/access' },
    { name: 'grant', role: 'admin', path: '/access', prepare: openGrant },
    { name: 'groups', role: 'admin', path: '/access/groups' },
    { name: 'group', role: 'admin', path: '/access/groups/Travel%20desk' },
    { name: 'requests', role: 'admin', path: '/access/requests' },
    { name: 'limits', role: 'admin', path: '/limits' },
    { name: 'new-tier', role: 'admin', path: '/limits', prepare: clickButton('New tier') },
    { name: 'use', role: 'admin', path: '/use' },
    { name: 'audit', role: 'admin', path: '/audit' },
    { name: 'health', role: 'admin', path: '/health' },
    { name: 'mine', role: 'client', path: '/mine' },
    { name: 'search', role: 'client', path: '/search?q=will%20it%20rain%20tomorrow' },
    { name: 'ask', role: 'client', path: '/ask' },
    { name: 'my-requests', role: 'client', path: '/ask?view=requests' },
    { name: 'my-use', role: 'client', path: '/use' },
    { name: 'key', role: 'client', path: '/key' },
    { name: 'agents', role: 'client', path: '/agents' },
    { name: 'missing', role: 'client', path: '/no-such-page' },
  ];
};

const documentedNames = ['search', 'people', 'grant', 'operation', 'use', 'import'];

export const documentShots = (organisation: Organisation): readonly Shot[] =>
  shotsOf(organisation).filter(({ name }) => documentedNames.includes(name));
