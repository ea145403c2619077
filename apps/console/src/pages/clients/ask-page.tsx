import { Page } from '../../layout/page.tsx';
import { words } from '../../words/words.ts';

export const Component = () => <Page title={words.clients.ask}>{null}</Page>;
