import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { ApiDialogProps } from './api-dialog.ts';
import { brokenSentence } from './documents/broken-sentence.ts';
import type { FileRead } from './documents/read-document.ts';
import { bodyWith, readFile } from './documents/reader.ts';
import { DropZone } from './drop-zone.tsx';
import type { Dropped } from './import-queue.ts';

const text = words.apis.admin;

/** Replaces the document of an API. */
export const ReplaceDialog = ({ api: { id }, close }: ApiDialogProps) => {
  const [chosen, setChosen] = useState<{ readonly file: File; readonly read: FileRead } | null>(null);
  const change = useChange('PUT /api/collections/:collection_id', {
    invalidates: [
      'GET /api/collections/',
      'GET /api/collections/:collection_id/summary',
      'GET /api/collections/:collection_id/operations',
      'GET /api/collections/:collection_id/operations/:operation_key',
      'GET /api/collections/:collection_id/metadata',
    ],
  });
  const take = async ([first]: readonly Dropped[]): Promise<void> => {
    if (!first) return;
    change.reset();
    setChosen({ file: first.file, read: await readFile(first.file) });
  };
  const replace = (): void => {
    if (chosen?.read.kind !== 'document') return;
    const input = { params: { collection_id: id }, body: bodyWith({}, chosen.read.json) };
    change.mutate(input, {
      onSuccess: ({ warnings }) => {
        notify(text.replaced(warnings?.total ?? 0));
        close();
      },
    });
  };
  return (
    <Dialog
      title={text.replace}
      open
      close={close}
      act={replace}
      actLabel={text.replaceNow}
      disabled={chosen?.read.kind !== 'document'}
      busy={change.isPending}
      error={change.error}
    >
      <DropZone one take={(dropped) => void take(dropped)} hint={[text.replaceHint]} pickLabel={text.pickFile} />
      <div aria-live="polite">
        {chosen ? <p>{text.chosen(chosen.file.name, chosen.file.size)}</p> : null}
        {chosen ? <p>{resultText(chosen.read)}</p> : null}
      </div>
    </Dialog>
  );
};

const resultText = (read: FileRead): string => {
  if (read.kind === 'document') return text.titled(read.title ?? '');
  return read.kind === 'other' ? text.noDocument : brokenSentence(read);
};
