import type { ReactNode } from 'react';
import ReactMarkdown, { type Components } from 'react-markdown';
import { markdownOf } from '../../parts/markdown-of.ts';

interface LinkFacts {
  readonly href?: string;
  readonly children?: ReactNode;
}

/** Only links to the web, which learn nothing of this page; others lead nowhere from here, and stay as text. */
const Link = ({ href = '', children }: LinkFacts) =>
  /^https?:\/\//i.test(href) ? (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  ) : (
    <span>{children}</span>
  );

/** A heading of a document is none of the page. */
const Heading = ({ children }: { readonly children?: ReactNode }) => (
  <p>
    <strong>{children}</strong>
  </p>
);

const components: Components = {
  a: Link,
  // An image would tell its server who reads; what it shows is said instead.
  img: ({ alt }) => <span>{alt}</span>,
  h1: Heading,
  h2: Heading,
  h3: Heading,
  h4: Heading,
  h5: Heading,
  h6: Heading,
};

/** Text of a document. HTML in it is shown as text; nothing in it is loaded. */
export const Markdown = ({ text }: { readonly text: string }) => (
  <ReactMarkdown components={components}>{markdownOf(text)}</ReactMarkdown>
);
