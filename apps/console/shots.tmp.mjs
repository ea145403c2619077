import { chromium } from '/work/main/node_modules/playwright-core/index.mjs';
import { execFileSync } from 'node:child_process';
const [dir, port, theme='light', width='1280', ...paths] = process.argv.slice(2);
const link = execFileSync('/work/main/node_modules/.bin/node', ['-C','@portico/source','/work/main/apps/cli/src/main.ts','console'], {env:{...process.env,DATA_DIR:dir,PORT:port}, stdio:["ignore","pipe","inherit"]}).toString().split('\n')[0];
const b = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox','--disable-gpu','--disable-background-networking','--disable-component-update','--disable-sync','--no-first-run'] });
const page = await b.newPage({ viewport: { width: +width, height: 850 }, colorScheme: theme });
page.on('console', (m) => { if (m.type()!=='info') console.log('console:', m.type(), m.text().slice(0,200)); });
page.on('pageerror', (e) => console.log('pageerror', e.message));
await page.goto(link); await page.waitForSelector('nav a', { timeout: 15000 });
for (const p of paths) {
  const t = Date.now();
  await page.evaluate((to) => { history.pushState(null,'',to); dispatchEvent(new PopStateEvent('popstate')); }, '/console'+p);
  await page.waitForTimeout(100);
  await page.waitForFunction(() => document.querySelector('h1') && !document.querySelector('main [role=status]'), null, {timeout:15000}).catch((e)=>console.log(p, e.message.split('\n')[0]));
  const ms = Date.now()-t;
  await page.waitForTimeout(300);
  const f = '/tmp/s'+p.replace(/[^a-z0-9]/gi,'_').slice(0,30)+'_'+theme+width+'.png';
  await page.screenshot({ path: f });
  console.log(ms, p, f, await page.evaluate(() => document.documentElement.scrollWidth > innerWidth ? 'WIDE' : ''));
}
await b.close();
