import '@mantine/dropzone/styles.css';
import { Button } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { File, FolderOpen } from 'lucide-react';
import { useRef, type ChangeEvent } from 'react';
import { words } from '../../words/words.ts';
import styles from './drop-zone.module.css';
import type { DroppedFile } from './import-queue.ts';

const text = words.apis.import;

/** A file from the browser. A file from a folder also has its path in that folder. */
type PathFile = File & { readonly path?: string };

const toDroppedFile = (file: PathFile): DroppedFile => {
  const path = file.path ?? (file.webkitRelativePath || file.name);
  return { file, path: path.replace(/^(\.?\/)+/, '') };
};

interface DropProps {
  readonly addFiles: (files: readonly DroppedFile[]) => void;
}

/** Accepts files and folders, dropped or chosen with a button, which also works with the keyboard. */
export const DropZone = ({
  addFiles,
  hint = [text.drop, text.dropHint],
  single = false,
  pickLabel = text.pickFiles,
}: DropProps & {
  readonly hint?: readonly string[];
  /** Whether only a single file is accepted. */
  readonly single?: boolean;
  readonly pickLabel?: string;
}) => {
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      openRef={open}
      onDrop={(files) => addFiles(files.map(toDroppedFile))}
      multiple={!single}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      // The button opens the file dialog. If this input also had a name, screen readers would read the name twice.
      inputProps={{ 'aria-hidden': true }}
    >
      <div className={styles.zone}>
        {hint.map((line, index) => (
          <p key={line} className={index === 0 ? undefined : styles.quiet}>
            {line}
          </p>
        ))}
        <div className={styles.buttons}>
          <Button leftSection={<File size={16} aria-hidden />} onClick={() => open.current?.()}>
            {pickLabel}
          </Button>
          {single ? null : <FolderButton addFiles={addFiles} />}
        </div>
      </div>
    </Dropzone>
  );
};

const FolderButton = ({ addFiles }: DropProps) => {
  const input = useRef<HTMLInputElement>(null);
  const handleChange = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
    addFiles([...(currentTarget.files ?? [])].map(toDroppedFile));
    // Allows the user to choose the same folder again.
    currentTarget.value = '';
  };
  return (
    <>
      <Button
        variant="default"
        leftSection={<FolderOpen size={16} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        {text.pickFolder}
      </Button>
      <input
        ref={input}
        type="file"
        multiple
        // @ts-expect-error React's types do not know this attribute of the File and Directory Entries API.
        webkitdirectory=""
        className={styles.hidden}
        aria-label={text.pickFolder}
        onChange={handleChange}
      />
    </>
  );
};

/** Accepts files dropped anywhere on the page. Only for mouse users, so it is hidden from screen readers. */
export const DropAnywhere = ({ addFiles }: DropProps) => (
  <Dropzone.FullScreen
    activateOnKeyboard={false}
    inputProps={{ 'aria-hidden': true }}
    onDrop={(files) => addFiles(files.map(toDroppedFile))}
  >
    <div aria-hidden className={styles.everywhere}>
      {text.dropAnywhere}
    </div>
  </Dropzone.FullScreen>
);
