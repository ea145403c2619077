import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { callForFile } from '../../api/call.ts';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { words } from '../../words/words.ts';
import type { UsageFilter } from './usage-filter.ts';

const text = words.use;

/** Downloads all lines of a list as CSV. */
export const CsvButton = ({
  by,
  filter,
  listTitle: title,
}: {
  readonly by: 'day' | 'collection' | 'profile';
  readonly filter: UsageFilter;
  readonly listTitle: string;
}) => {
  const file = useMutation({
    mutationFn: () => callForFile('GET /api/usage', { query: { by, ...filter }, accept: 'text/csv' }),
    onSuccess: (bytes) => saveFile(bytes, text.file(by)),
  });
  return (
    <>
      <Button
        variant="default"
        size="xs"
        leftSection={<Download size={14} aria-hidden />}
        aria-label={text.downloadOf(title)}
        loading={file.isPending}
        onClick={() => file.mutate()}
      >
        {text.download}
      </Button>
      <ErrorNote error={file.error} />
    </>
  );
};
