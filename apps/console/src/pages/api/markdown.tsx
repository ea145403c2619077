import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { markdownOf } from '../../parts/markdown-of.ts';

interface LinkProps {
  readonly href?: string;
  readonly children?: ReactNode;
}

/** Renders only web links as links, without a referrer. Other links would be broken here, so they are shown as text. */
const Link = ({ href = '', children }: LinkProps) =>
  /^https?:\/\//i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** A heading in a document is rendered as a paragraph, because it is not a heading of the page. */
const Heading = ({ children }: { readonly children?: ReactNode }) => (
  <p>
    <strong>{children}</strong>
  </p>
);

const components: Components = {
  a: Link,
  // Loading an image would reveal the reader to the image's server, so the alternative text is shown instead.
  img: ({ alt }) => <span>{alt}</span>,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
};

/** Renders Markdown from a document. HTML is shown as text, and nothing is loaded. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <ReactMarkdown components={components}>{markdownOf(text)}</ReactMarkdown>
);
