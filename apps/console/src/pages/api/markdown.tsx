import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { markdownOf } from '../../parts/markdown-of.ts';

interface LinkProps {
  readonly href?: string;
  readonly children?: ReactNode;
}

/** Renders only web links, without a referrer. Others would be broken here, and stay text. */
const Link = ({ href = '', children }: LinkProps) =>
  /^https?:\/\//i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** A heading of a document is not a heading of the page. */
const Heading = ({ children }: { readonly children?: ReactNode }) => (
  <p>
    <strong>{children}</strong>
  </p>
);

const components: Components = {
  a: Link,
  // An image would reveal the reader to its server, so its alternative text is shown instead.
  img: ({ alt }) => <span>{alt}</span>,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
};

/** Renders Markdown of a document. HTML is shown as text, and nothing is loaded. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <ReactMarkdown components={components}>{markdownOf(text)}</ReactMarkdown>
);
