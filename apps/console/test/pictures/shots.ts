import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import type { Organisation } from './organisation.ts';

export interface Shot {
  readonly name: string;
  /** The role to sign in with; null if there is no sign-in. */
  readonly as: 'admin' | 'client' | null;
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

const choose = async (page: Page, label: string, typed: string, name: string): Promise<void> => {
  await page.getByRole('dialog').getByLabel(label, { exact: true }).fill(typed);
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

const press = (name: string) => (page: Page) => page.getByRole('button', { name }).first().click();

export const shotsOf = ({ apis }: Organisation): readonly Shot[] => {
  const pay = `/apis/${apis.get('Kestrel Pay Charges')}`;
  return [
    { name: 'sign-in', as: null, path: '/' },
    { name: 'people', as: 'admin', path: '/people' },
    { name: 'person', as: 'admin', path: '/people/amara@example.com' },
    { name: 'person-suspended', as: 'admin', path: '/people/daniel@example.com' },
    { name: 'apis', as: 'admin', path: '/apis' },
    { name: 'import', as: 'admin', path: '/apis/import', prepare: chooseSamples },
    { name: 'import-empty', as: 'admin', path: '/apis/import' },
    { name: 'api', as: 'admin', path: pay },
    { name: 'operation', as: 'admin', path: pay, prepare: openOperation },
    { name: 'access', as: 'admin', path: '/access' },
    { name: 'grant', as: 'admin', path: '/access', prepare: openGrant },
    { name: 'groups', as: 'admin', path: '/access/groups' },
    { name: 'group', as: 'admin', path: '/access/groups/Travel%20desk' },
    { name: 'requests', as: 'admin', path: '/access/requests' },
    { name: 'limits', as: 'admin', path: '/limits' },
    { name: 'new-tier', as: 'admin', path: '/limits', prepare: press('New tier') },
    { name: 'use', as: 'admin', path: '/use' },
    { name: 'audit', as: 'admin', path: '/audit' },
    { name: 'health', as: 'admin', path: '/health' },
    { name: 'mine', as: 'client', path: '/mine' },
    { name: 'search', as: 'client', path: '/search?q=will%20it%20rain%20tomorrow' },
    { name: 'ask', as: 'client', path: '/ask' },
    { name: 'my-requests', as: 'client', path: '/ask?view=requests' },
    { name: 'my-use', as: 'client', path: '/use' },
    { name: 'key', as: 'client', path: '/key' },
    { name: 'agents', as: 'client', path: '/agents' },
    { name: 'missing', as: 'client', path: '/no-such-page' },
  ];
};

const inDocuments = ['search', 'people', 'grant', 'operation', 'use', 'import'];

export const documentShots = (organisation: Organisation): readonly Shot[] =>
  shotsOf(organisation).filter(({ name }) => inDocuments.includes(name));
