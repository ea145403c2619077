import { Loader } from '@mantine/core';
import { words } from '../words/words.ts';

export const Loading = ({ more = false }: { readonly more?: boolean }) => (
  <div role="status">
    <Loader size="sm" aria-hidden /> <span>{more ? words.frame.loadingMore : words.frame.loading}</span>
  </div>
);
