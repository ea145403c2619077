import { Button, Code } from '@mantine/core';
import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { words } from '../words/words.ts';
import styles from './copy.module.css';

export const CopyButton = ({ text, label = words.frame.copy }: { readonly text: string; readonly label?: string }) => {
  const [isCopied, setIsCopied] = useState(false);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => {
      setIsCopied(true);
      window.setTimeout(() => setIsCopied(false), 2_000);
    });
  };
  return (
    <Button
      variant="default"
      size="xs"
      leftSection={isCopied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
      onClick={copy}
    >
      <span aria-live="polite">{isCopied ? words.frame.copied : label}</span>
    </Button>
  );
};

/** Text to copy, such as a command or a secret that is shown once. */
export const CopyBlock = ({ text, label }: { readonly text: string; readonly label: string }) => (
  <div className={styles.block}>
    <div className={styles.head}>
      <span>{label}</span>
      <CopyButton text={text} />
    </div>
    <Code block tabIndex={0} aria-label={label} role="group">
      {text}
    </Code>
  </div>
);
