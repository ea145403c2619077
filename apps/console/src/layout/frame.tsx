import { ActionIcon, Button } from '@mantine/core';
import { LogOut, Menu, Moon, Sun, X } from 'lucide-react';
import { Suspense, useEffect, useState } from 'react';
import { NavLink, Outlet, useLocation } from 'react-router';
import iconUrl from '../icon.svg';
import { Loading } from '../parts/loading.tsx';
import { pages } from '../pages/pages.ts';
import { useMe } from '../session/me.ts';
import { useSession } from '../session/session-context.ts';
import { words } from '../words/words.ts';
import styles from './frame.module.css';
import { chooseTheme, useTheme } from './theme.ts';

/** The frame around each page, with the menu, the theme setting and the sign-out button. */
export const Frame = () => {
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  useEffect(() => setOpen(false), [pathname]);
  return (
    <div className={styles.frame}>
      <a className={styles.skip} href="#content">
        {words.frame.skip}
      </a>
      <header className={styles.top}>
        <ActionIcon
          variant="subtle"
          size="lg"
          aria-label={open ? words.frame.closeMenu : words.frame.openMenu}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          {open ? <X /> : <Menu />}
        </ActionIcon>
        <Brand />
      </header>
      <aside className={styles.side} data-closed={open ? undefined : ''}>
        <Brand />
        <Navigation />
        <Footer />
      </aside>
      <main id="content" className={styles.main} tabIndex={-1}>
        <Suspense fallback={<Loading />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
};

const Brand = () => (
  <NavLink to="/" className={styles.brand} end>
    <img src={iconUrl} alt="" />
    {words.frame.brand}
  </NavLink>
);

const Navigation = () => {
  const { role } = useMe();
  return (
    <nav aria-label={words.frame.navigation}>
      {pages
        .filter(({ roles }) => roles.includes(role))
        .map(({ path, title, Icon, Note }) => (
          <NavLink key={path} to={path} className={styles.link}>
            <Icon size={18} aria-hidden />
            {title}
            {Note ? <Note /> : null}
          </NavLink>
        ))}
    </nav>
  );
};

const Footer = () => {
  const me = useMe();
  const { signOut } = useSession();
  const theme = useTheme();
  return (
    <div className={styles.foot}>
      <span className={styles.who} title={words.frame.signedInAs(me.email)}>
        {me.full_name}
      </span>
      <Button
        variant="default"
        size="xs"
        leftSection={theme === 'dark' ? <Sun size={14} aria-hidden /> : <Moon size={14} aria-hidden />}
        onClick={() => chooseTheme(theme === 'dark' ? 'light' : 'dark')}
      >
        {theme === 'dark' ? words.frame.lightTheme : words.frame.darkTheme}
      </Button>
      <Button variant="default" size="xs" leftSection={<LogOut size={14} aria-hidden />} onClick={signOut}>
        {words.frame.signOut}
      </Button>
    </div>
  );
};
