import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';
import { NearLimit } from './near-limit.tsx';
import { Overrides } from './overrides.tsx';
import { Tiers } from './tiers.tsx';

/** Shows people's rate limits, and who is close to exceeding them. */
export const Component = () => (
  <Page title={words.limits.title}>
    <p>{words.limits.order}</p>
    <NearLimit />
    <Tiers />
    <Overrides />
  </Page>
);
