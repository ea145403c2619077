import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { callForFile } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { words } from '../../words/words.ts';
import type { AuditQuery } from './audit-query.ts';

const text = words.audit;

/** Exports with more entries require confirmation, because the browser keeps the file in memory while it loads. */
const unconfirmedMax = 100_000;

/** Exports the filtered log as a file, one entry per line. */
export const ExportButton = ({ query, total }: { readonly query: AuditQuery; readonly total: number }) => {
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const file = useMutation({
    mutationFn: () => callForFile('GET /api/audit/export', { query: { ...query, include: 'actor,names' } }),
    onSuccess: (bytes) => saveFile(bytes, text.file),
    onSettled: () => setIsDialogOpen(false),
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Download size={16} aria-hidden />}
        loading={file.isPending}
        onClick={() => (total > unconfirmedMax ? setIsDialogOpen(true) : file.mutate())}
      >
        {text.export}
      </Button>
      <ErrorNote error={file.error} />
      <Dialog
        title={text.exportTitle}
        open={isDialogOpen}
        close={() => setIsDialogOpen(false)}
        submit={() => file.mutate()}
        submitLabel={text.exportAll}
        busy={file.isPending}
      >
        <p>{text.exportMany(total)}</p>
      </Dialog>
    </>
  );
};
