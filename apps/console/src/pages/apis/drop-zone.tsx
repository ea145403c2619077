import '@mantine/dropzone/styles.css';
import { Button } from '@mantine/core';
import { Dropzone } from '@mantine/dropzone';
import { File, FolderOpen } from 'lucide-react';
import { useRef, type ChangeEvent } from 'react';
import { words } from '../../words/words.ts';
import styles from './drop-zone.module.css';
import type { Dropped } from './import-queue.ts';

const text = words.apis.import;

/** A file as browsers give it: those of a folder know their path in it. */
type PathFile = File & { readonly path?: string };

const droppedOf = (file: PathFile): Dropped => {
  const path = file.path ?? (file.webkitRelativePath || file.name);
  return { file, path: path.replace(/^(\.?\/)+/, '') };
};

interface DropFacts {
  readonly take: (dropped: readonly Dropped[]) => void;
}

/** Takes files and folders: dropped, or chosen by a button, which is all that a keyboard needs. */
export const DropZone = ({
  take,
  hint = [text.drop, text.dropHint],
  one = false,
  pickLabel = text.pickFiles,
}: DropFacts & {
  readonly hint?: readonly string[];
  /** Takes a single file. */
  readonly one?: boolean;
  readonly pickLabel?: string;
}) => {
  const open = useRef<() => void>(null);
  return (
    <Dropzone
      openRef={open}
      onDrop={(files) => take(files.map(droppedOf))}
      multiple={!one}
      activateOnClick={false}
      activateOnKeyboard={false}
      enablePointerEvents
      // The button opens it: named twice, it would be read twice.
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
          {one ? null : <FolderButton take={take} />}
        </div>
      </div>
    </Dropzone>
  );
};

const FolderButton = ({ take }: DropFacts) => {
  const input = useRef<HTMLInputElement>(null);
  const changed = ({ currentTarget }: ChangeEvent<HTMLInputElement>): void => {
    take([...(currentTarget.files ?? [])].map(droppedOf));
    // The same folder may be chosen again.
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
        onChange={changed}
      />
    </>
  );
};

/** Takes what is dropped anywhere on the page; for whoever drags, so that nothing of it is read aloud. */
export const DropAnywhere = ({ take }: DropFacts) => (
  <Dropzone.FullScreen
    activateOnKeyboard={false}
    inputProps={{ 'aria-hidden': true }}
    onDrop={(files) => take(files.map(droppedOf))}
  >
    <div aria-hidden className={styles.everywhere}>
      {text.dropAnywhere}
    </div>
  </Dropzone.FullScreen>
);
