import { Anchor, Code, Tabs } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../../layout/page.tsx';
import { CopyBlock, CopyButton } from '../../parts/copy.tsx';
import { useMe } from '../../session/me.ts';
import { words } from '../../words/words.ts';
import { createAgentConfigurations, createPlaceholderKey } from './agent-configurations.ts';
import styles from './clients.module.css';

const text = words.clients.agent;

/** Shows how to connect an agent to this service, with configurations that are ready to copy. */
export const Component = () => {
  const { client_id: clientId } = useMe();
  const { origin } = window.location;
  return (
    <Page title={words.clients.agents}>
      <section className={styles.section} aria-label={text.address}>
        <p>{text.intro}</p>
        <dl className={styles.properties}>
          <dt>{text.address}</dt>
          <dd className={styles.copied}>
            <Code>{`${origin}/mcp`}</Code>
            <CopyButton text={`${origin}/mcp`} />
          </dd>
        </dl>
        <p className={styles.quiet}>{text.advice}</p>
      </section>
      <section className={styles.section} aria-labelledby="one-string">
        <h2 id="one-string">{text.keyTitle}</h2>
        <p>
          {text.keyHint}{' '}
          {clientId === null ? (
            text.adminHint
          ) : (
            <Anchor component={Link} to="/key" underline="always">
              {text.findSecret}
            </Anchor>
          )}
        </p>
        <CopyBlock label={text.keyLabel} text={`export PORTICO_KEY='${createPlaceholderKey(clientId)}'`} />
      </section>
      <Configurations origin={origin} clientId={clientId} />
      <section className={styles.section} aria-labelledby="without">
        <h2 id="without">{text.more}</h2>
        <p>
          {text.llms}{' '}
          <Anchor underline="always" href="/llms.txt" target="_blank" rel="noopener">
            {`${origin}/llms.txt`}
          </Anchor>
        </p>
      </section>
    </Page>
  );
};

const Configurations = ({ origin, clientId }: { readonly origin: string; readonly clientId: string | null }) => {
  const configurations = createAgentConfigurations(origin, clientId);
  return (
    <section className={styles.section} aria-labelledby="configurations">
      <h2 id="configurations">{text.clients}</h2>
      <Tabs defaultValue={configurations[0]?.key ?? null} keepMounted={false}>
        <Tabs.List aria-labelledby="configurations">
          {configurations.map(({ key, name }) => (
            <Tabs.Tab key={key} value={key}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {configurations.map(({ key, hint, snippets }) => (
          <Tabs.Panel key={key} value={key} pt="sm">
            {hint ? <p>{hint}</p> : null}
            {snippets.map((snippet) => (
              <CopyBlock key={snippet.label} label={snippet.label} text={snippet.text} />
            ))}
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
};
