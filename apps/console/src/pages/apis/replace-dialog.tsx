import { useState } from 'react';
import { useChange } from '../../api/use-call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { notify } from '../../parts/notify.ts';
import { words } from '../../words/words.ts';
import type { ApiDialogProps } from './api-dialog.ts';
import { describeBrokenFile } from './documents/describe-broken-file.ts';
import type { FileRead } from './documents/read-document.ts';
import { createBody, readFile } from './documents/reader.ts';
import { DropZone } from './drop-zone.tsx';
import type { DroppedFile } from './import-queue.ts';

const text = words.apis.admin;

/** Replaces the document of an API. */
export const ReplaceDialog = ({ api: { id }, close }: ApiDialogProps) => {
  const [selection, setSelection] = useState<{ readonly file: File; readonly read: FileRead } | null>(null);
  const change = useChange('PUT /api/collections/:collection_id', {
    invalidates: [
      'GET /api/collections/',
      'GET /api/collections/:collection_id/summary',
      'GET /api/collections/:collection_id/operations',
      'GET /api/collections/:collection_id/operations/:operation_key',
      'GET /api/collections/:collection_id/metadata',
    ],
  });
  const chooseFile = async ([droppedFile]: readonly DroppedFile[]): Promise<void> => {
    if (!droppedFile) return;
    change.reset();
    setSelection({ file: droppedFile.file, read: await readFile(droppedFile.file) });
  };
  const replace = (): void => {
    if (selection?.read.kind !== 'document') return;
    const input = { params: { collection_id: id }, body: createBody({}, selection.read.json) };
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
      submit={replace}
      submitLabel={text.replaceNow}
      disabled={selection?.read.kind !== 'document'}
      busy={change.isPending}
      error={change.error}
    >
      <DropZone
        single
        addFiles={(files) => void chooseFile(files)}
        hint={[text.replaceHint]}
        pickLabel={text.pickFile}
      />
      <div aria-live="polite">
        {selection ? <p>{text.chosenFile(selection.file.name, selection.file.size)}</p> : null}
        {selection ? <p>{describeResult(selection.read)}</p> : null}
      </div>
    </Dialog>
  );
};

const describeResult = (read: FileRead): string => {
  if (read.kind === 'document') return text.documentTitle(read.title ?? '');
  return read.kind === 'other' ? text.noDocument : describeBrokenFile(read);
};
