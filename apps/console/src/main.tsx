import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './layout/page.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { applyTheme } from './layout/theme.ts';
import { followPrintedLinks } from './session/session.ts';

applyTheme();
followPrintedLinks();
const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
