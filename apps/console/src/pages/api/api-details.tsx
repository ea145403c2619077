import { Button, Code, Group } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { Download } from 'lucide-react';
import { callForFile, type CallResult } from '../../api/call.ts';
import { CopyButton } from '../../parts/copy.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { Description } from './description.tsx';

const text = words.api;

type Summary = CallResult<'GET /api/collections/:collection_id/summary'>;

/** The description, base URL and authentication of an API. */
export const ApiDetails = ({ api }: { readonly api: Summary }) => (
  <section aria-labelledby="about">
    <h2 id="about" className={styles.hidden}>
      {text.about}
    </h2>
    {api.description ? (
      <Description markdown={api.description} long />
    ) : (
      <p className={styles.quiet}>{text.noDescription}</p>
    )}
    <dl className={styles.properties}>
      <dt>{text.baseUrl}</dt>
      <dd>
        <BaseUrl url={api.settings.base_url ?? api.base_url} />
      </dd>
      <dt>{text.authentication}</dt>
      <dd>
        <Authentication authentication={api.authentication} />
      </dd>
    </dl>
  </section>
);

const BaseUrl = ({ url }: { readonly url: string }) =>
  url === '/' ? (
    text.noBaseUrl
  ) : (
    <span className={styles.copied}>
      <Code>{url}</Code>
      <CopyButton text={url} />
    </span>
  );

/** Shows how to send the credential, but never the credential itself. */
const Authentication = ({ authentication }: { readonly authentication: Summary['authentication'] }) => {
  const { type, name, in: place = 'header', has_value: hasValue } = authentication;
  const sentence = text.schemes[type](name ?? 'Authorization', text.places[place]);
  if (type === 'none') return <>{sentence}</>;
  return (
    <>
      {sentence}
      <br />
      <span className={styles.quiet}>{hasValue ? text.credentialStored : text.credentialMissing}</span>
    </>
  );
};

/** Downloads the whole document as a file: the page itself never loads it. */
export const Downloads = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const save = useMutation({
    mutationFn: async (format: 'json' | 'yaml') => {
      const params = { collection_id: id };
      const bytes = await (format === 'json'
        ? callForFile('GET /api/collections/:collection_id/openapi.json', { params })
        : callForFile('GET /api/collections/:collection_id/openapi.yaml', { params }));
      saveFile(bytes, `${toFileName(name)}.${format}`);
    },
  });
  const renderButton = (format: 'json' | 'yaml', label: string) => (
    <Button
      variant="default"
      size="xs"
      leftSection={<Download size={14} aria-hidden />}
      loading={save.isPending && save.variables === format}
      onClick={() => save.mutate(format)}
    >
      {label}
    </Button>
  );
  return (
    <div>
      <Group gap="xs" role="group" aria-label={text.documents}>
        {renderButton('json', text.downloadJson)}
        {renderButton('yaml', text.downloadYaml)}
      </Group>
      <ErrorNote error={save.error} />
    </div>
  );
};

const toFileName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '') || 'openapi';
