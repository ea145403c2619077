import { Alert, Anchor, Button, Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { call, type CallResult } from '../../api/call.ts';
import { useRead } from '../../api/use-call.ts';
import { CopyBlock, CopyButton } from '../../parts/copy.tsx';
import { ErrorNote } from '../../parts/error-note.tsx';
import { Loading } from '../../parts/loading.tsx';
import { MethodBadge } from '../../parts/method-badge.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { words } from '../../words/words.ts';
import styles from './api.module.css';
import { Description } from './description.tsx';
import { OperationCredentials, Servers } from './operation-address.tsx';
import { ParametersTable } from './parameters-table.tsx';
import { isSchema, type Schema } from './schema-text.ts';
import { SchemaTree } from './schema-tree.tsx';

const text = words.api;

const readOperation = 'GET /api/collections/:collection_id/operations/:operation_key';
type Slice = Extract<CallResult<typeof readOperation>, { readonly curl: unknown }>;

const pointersOf = ({ truncated }: Slice): readonly string[] => truncated.map(({ pointer }) => pointer);

const isSlice = (result: CallResult<typeof readOperation>): result is Slice => 'curl' in result;

/** The sizes to request, in bytes: first the default for agents, then a larger size, then the service's maximum. */
const budgets = [8_192, 65_536, 262_144] as const;

interface OperationProps {
  readonly id: string;
  readonly operation: string;
}

/** Shows everything that is needed to call an operation. */
export const OperationDetails = ({ id, operation }: OperationProps) => {
  const [budget, setBudget] = useState(0);
  const read = useRead(
    readOperation,
    {
      params: { collection_id: id, operation_key: operation },
      query: { detail: 'full', max_bytes: budgets[budget] ?? budgets[0] },
    },
    { keepPrevious: true },
  );
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // On a narrow screen, the list that had the focus is no longer visible.
    const focusedElement = document.activeElement;
    if (
      focusedElement === document.body ||
      (focusedElement instanceof HTMLElement && focusedElement.offsetParent === null)
    )
      top.current?.focus();
  }, []);
  const slice = read.data && isSlice(read.data) ? read.data : null;
  return (
    <div ref={top} tabIndex={-1} className={styles.focusless}>
      <Back />
      <ErrorNote error={read.error} retry={() => read.refetch()} />
      {read.isPending ? <Loading /> : null}
      {slice ? (
        <>
          <OperationHeader slice={slice} />
          <Truncated
            slice={slice}
            busy={read.isFetching}
            loadMore={budget < budgets.length - 1 ? () => setBudget(budget + 1) : null}
          />
          <Contents slice={slice} />
          <ToolBlock id={id} operation={operation} />
        </>
      ) : null}
    </div>
  );
};

/** A link back to the list, shown if the list and the details are not next to each other. */
const Back = () => {
  const [search] = useSearchParams();
  const to = new URLSearchParams(search);
  to.delete('operation');
  return (
    <Anchor component={Link} to={`?${to.toString()}`} className={styles.back}>
      {text.back}
    </Anchor>
  );
};

const OperationHeader = ({ slice }: { readonly slice: Slice }) => (
  <>
    <h3 className={styles.title}>
      <MethodBadge method={slice.method} /> <span className={styles.path}>{slice.path}</span>{' '}
      {slice.deprecated ? <StatusBadge kind="bad">{text.deprecated}</StatusBadge> : null}
    </h3>
    {slice.summary ? <p className={styles.summary}>{slice.summary}</p> : null}
    {slice.description ? <Description markdown={slice.description} long /> : null}
    <p className={styles.copied}>
      <Code className={styles.address}>{slice.url}</Code>
      <CopyButton text={slice.url} />
    </p>
    {slice.warnings?.map((warning) => (
      <p key={warning} className={styles.quiet}>
        {warning}
      </p>
    ))}
    <Servers servers={slice.servers} />
    <OperationCredentials authentication={slice.authentication} />
    {slice.curl ? (
      <>
        <CopyBlock text={slice.curl} label={text.curl} />
        <p className={styles.quiet}>{text.curlHint}</p>
      </>
    ) : null}
  </>
);

const Contents = ({ slice }: { readonly slice: Slice }) => (
  <>
    {slice.parameters.length > 0 ? (
      <>
        <h4>{text.parameters}</h4>
        <ParametersTable parameters={slice.parameters} truncated={pointersOf(slice)} />
      </>
    ) : null}
    {slice.request_body ? <Body body={slice.request_body} truncated={pointersOf(slice)} /> : null}
    <h4>{text.responses}</h4>
    {Object.entries(slice.responses).map(([status, response]) => (
      <Response key={status} status={status} response={response} truncated={pointersOf(slice)} />
    ))}
  </>
);

interface TruncatedProps {
  readonly truncated: readonly string[];
}

const textOf = (object: Schema, name: string): string => {
  const value = object[name];
  return typeof value === 'string' ? value : '';
};

const Body = ({ body, truncated }: TruncatedProps & { readonly body: Schema }) => {
  const otherContentTypes = Array.isArray(body['other_content_types']) ? body['other_content_types'] : [];
  return (
    <>
      <h4>{text.body}</h4>
      {typeof body['$ref'] === 'string' ? <p>{text.reference(body['$ref'])}</p> : null}
      <p className={styles.quiet}>
        {textOf(body, 'content_type')} {body['required'] === true ? text.bodyRequired : text.bodyOptional}
        {otherContentTypes.length > 0 ? `; ${text.otherTypes(otherContentTypes.map(String).join(', '))}` : ''}
      </p>
      {textOf(body, 'description') ? <Description markdown={textOf(body, 'description')} /> : null}
      <SchemaTree schema={body['schema']} pointer="/request_body/schema" truncated={truncated} label={text.body} />
      {body['example'] === undefined ? null : (
        <CopyBlock text={JSON.stringify(body['example'], null, 2)} label={text.example} />
      )}
    </>
  );
};

const Response = ({
  status,
  response,
  truncated,
}: TruncatedProps & { readonly status: string; readonly response: unknown }) => {
  const object = isSchema(response) ? response : {};
  const pointer = `/responses/${status.replaceAll('~', '~0').replaceAll('/', '~1')}/schema`;
  return (
    <div className={styles.response}>
      <h5>
        {status} <span className={styles.quiet}>{textOf(object, 'content_type')}</span>
      </h5>
      {typeof object['$ref'] === 'string' ? <p>{text.reference(object['$ref'])}</p> : null}
      {textOf(object, 'description') ? <Description markdown={textOf(object, 'description')} /> : null}
      {isSchema(object['schema']) ? (
        <SchemaTree schema={object['schema']} pointer={pointer} truncated={truncated} label={status} />
      ) : null}
    </div>
  );
};

/** Shows that parts were left out, with a button to load more. */
const Truncated = ({
  slice,
  busy,
  loadMore,
}: {
  readonly slice: Slice;
  readonly busy: boolean;
  readonly loadMore: (() => void) | null;
}) =>
  slice.truncated.length === 0 ? null : (
    <Alert color="gray" my="md" role="status">
      {text.truncated(slice.truncated.length)} {loadMore ? null : text.truncatedHint}
      {loadMore ? (
        <Button variant="default" size="xs" ml="sm" loading={busy} onClick={loadMore}>
          {text.more}
        </Button>
      ) : null}
    </Alert>
  );

/** The operation as a function tool for language models, loaded on demand. */
const ToolBlock = ({ id, operation }: OperationProps) => {
  const [open, setOpen] = useState(false);
  const tool = useQuery({
    queryKey: [readOperation, id, operation, 'tool'],
    queryFn: ({ signal }) =>
      call(readOperation, { params: { collection_id: id, operation_key: operation }, query: { as: 'tool' }, signal }),
    enabled: open,
  });
  return (
    <>
      <h4>{text.tool}</h4>
      {open ? null : (
        <Button variant="default" size="xs" onClick={() => setOpen(true)}>
          {text.showTool}
        </Button>
      )}
      {open && tool.isPending ? <Loading /> : null}
      <ErrorNote error={tool.error} retry={() => tool.refetch()} />
      {tool.data ? <CopyBlock text={JSON.stringify(tool.data, null, 2)} label={text.toolLabel} /> : null}
    </>
  );
};
