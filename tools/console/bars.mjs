// Measures the console in a real browser, and fails past its bars: `npm run build && npm run console:bars`.
// It needs Chromium (CHROMIUM_PATH, /usr/bin/chromium by default) and takes about half a minute. Run nothing else meanwhile.
import { setTimeout as pause } from 'node:timers/promises';
import { holds, listen, logIn, signedIn, startBrowser, startService } from './support.mjs';

const RUNS = 5;
const ROWS = 100;
const STREAM = { perSecond: 200, seconds: 10 };

const bars = [];
const bar = (what, values, limit, unit = 'ms') => {
  const worst = Math.max(...values);
  bars.push(worst <= limit);
  const shown = values.map((value) => Math.round(value)).join(', ');
  console.log(`${worst <= limit ? 'ok  ' : 'MISS'} ${what}: ${shown} ${unit}, at most ${limit}`);
};

/** What the page notes of itself, from its first line on. */
function note() {
  const noted = { longTasks: [], frames: 0, longestFrame: 0 };
  window.noted = noted;
  new PerformanceObserver((entries) => {
    for (const { startTime, duration } of entries.getEntries()) noted.longTasks.push([startTime, duration]);
  }).observe({ type: 'longtask', buffered: true });
  let last = performance.now();
  const frame = (now) => {
    noted.frames += 1;
    noted.longestFrame = Math.max(noted.longestFrame, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  // From the click, or from when the list came if it was not there already, until a frame with its rows is on the screen.
  const { text } = Response.prototype;
  Response.prototype.text = async function () {
    const read = await text.call(this);
    if (noted.wanted && !noted.rowsAt && this.url.includes(noted.wanted)) noted.from = performance.now();
    return read;
  };
  addEventListener('click', () => (noted.from = performance.now()), { capture: true });
  new MutationObserver(() => {
    if (noted.rowsAt !== undefined || !(document.querySelectorAll('tbody tr a').length >= noted.rows)) return;
    noted.rowsAt = 0;
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => (noted.rowsAt = performance.now());
      port2.postMessage(null);
    });
  }).observe(document, { subtree: true, childList: true });
}

const receiver = await listen((request, response) => {
  request.resume();
  response.writeHead(204).end();
});
const service = await startService({ LOG_LEVEL: 'fatal' });
const browser = await startBrowser();
try {
  await firstPaint();
  await lists();
  await stream();
} finally {
  await browser.close();
  await service.stop();
  await receiver.close();
}
process.exitCode = bars.every(Boolean) ? 0 : 1;

/** Of a page that was never open in this browser, and of one that was. */
async function firstPaint() {
  const times = { first: [], again: [] };
  for (let run = 0; run < RUNS; run += 1) {
    const page = await (await browser.createBrowserContext()).newPage();
    const painted = async () => {
      await page.waitForSelector('h1');
      const paint = () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
      return (await page.waitForFunction(paint)).jsonValue();
    };
    await page.goto(`${service.url}/console/`);
    times.first.push(await painted());
    await logIn(page, service.key);
    await page.goto(`${service.url}/console/webhooks`);
    times.again.push(await painted());
    await page.browserContext().close();
  }
  bar('first paint, of who is not signed in', times.first, 1000);
  bar('first paint, once more', times.again, 1000);
}

async function lists() {
  await fill();
  const page = await signedIn(browser, service.url, service.key);
  await page.evaluateOnNewDocument(note);
  const times = { webhooks: [], deliveries: [], notifications: [] };
  for (let run = 0; run < RUNS; run += 1) {
    for (const [screen, measured] of Object.entries(times)) {
      await page.goto(`${service.url}/console/health`);
      await page.waitForSelector('.figures');
      const list = {
        webhooks: '/webhook/list',
        deliveries: '/trigger/list',
        notifications: '/notification/list',
      }[screen];
      // Where a page has fifty rows, the hundred are there by "Load more".
      const rows = screen === 'webhooks' ? ROWS : ROWS / 2;
      await page.evaluate(
        (wanted, rowsWanted) => Object.assign(window.noted, { wanted, rows: rowsWanted }),
        list,
        rows,
      );
      await page.click(`nav a[href$="/${screen}"]`);
      let took = await shown(page);
      if (rows < ROWS) {
        await page.evaluate(() => Object.assign(window.noted, { rows: 100, rowsAt: undefined }));
        await page.click('.table-end button');
        took = Math.max(took, await shown(page));
      }
      measured.push(took);
    }
  }
  for (const [screen, measured] of Object.entries(times)) bar(`a list of ${ROWS} ${screen}`, measured, 100);
  await page.browserContext().close();
}

async function shown(page) {
  await page.waitForFunction(() => window.noted.rowsAt > 0, { polling: 20 });
  return page.evaluate(() => window.noted.rowsAt - window.noted.from);
}

/** A hundred webhooks, notifications and deliveries. */
async function fill() {
  const url = `${receiver.url}/hooks`;
  for (let index = 0; index < ROWS; index += 1) {
    const events = index === 0 ? ['RECORD_FINISHED', 'STATUS_CHANGED'] : ['STATUS_CHANGED'];
    await service.call('POST', '/v1/webhook', { name: `Webhook ${index}`, url, events });
  }
  for (let index = 0; index < ROWS; index += 1) await notify('admin');
  const isOver = async () =>
    (await service.call('GET', '/v1/webhook/trigger/list?status=PENDING')).data.length === 0;
  if (!(await holds(isOver, 20_000))) throw new Error('Not everything was delivered');
}

function notify(user_id) {
  const record = { id: 'rec_1', name: 'Ada', analysis: [{ id: 'ana_1', status: 'VALID' }] };
  return service.call('POST', '/v1/notification', { event_kind: 'RECORD_FINISHED', user_id, record });
}

/** Deliveries that are shown as they happen. The page shows them, or says how many it does not show yet. */
async function stream() {
  const user = 'stream';
  const url = `${receiver.url}/hooks`;
  await service.call('POST', '/v1/webhook', {
    name: 'Stream',
    url,
    user_id: user,
    events: ['RECORD_FINISHED'],
  });
  const { key } = await service.call('POST', '/v1/api-key', { user_id: user, scopes: ['webhooks:read'] });
  const page = await signedIn(browser, service.url, key);
  await page.evaluateOnNewDocument(note);
  await page.goto(`${service.url}/console/deliveries`);
  await page.waitForFunction(() => /Live/.test(document.querySelector('.page-head')?.innerText ?? ''));
  await pause(500);
  await page.evaluate(() => Object.assign(window.noted, { longTasks: [], frames: 0, longestFrame: 0 }));
  const from = performance.now();
  await notifyEvenly(user);
  const total = STREAM.perSecond * STREAM.seconds;
  const seconds = (performance.now() - from) / 1000;
  const { longTasks, frames, longestFrame } = await page.evaluate(() => window.noted);
  const seen = () =>
    page.evaluate(() => {
      const [, unseen = '0'] = /Show ([\d,]+) new/.exec(document.querySelector('main').innerText) ?? [];
      return document.querySelectorAll('tbody tr').length + Number(unseen.replaceAll(',', ''));
    });
  await holds(async () => (await seen()) >= total, 5_000);
  console.log(
    `     ${Math.round(total / seconds)} deliveries a second, ${Math.round(frames / seconds)} frames a second`,
  );
  bar('tasks over 50 ms while it streams', [longTasks.length], 0, 'tasks');
  bar('the longest frame', [longestFrame], 50);
  bar('rows lost', [Math.abs(total - (await seen()))], 0, 'rows');
  // All of them are over: what came last is what is shown.
  await page.click('::-p-text(Show )');
  const isOver = () =>
    page.$$eval(
      'tbody tr',
      (rows) => rows.length >= 50 && rows.every((row) => /Succeeded/.test(row.innerText)),
    );
  bar('rows that are behind at the end', [(await holds(isOver, 5_000)) ? 0 : 1], 0, 'rows');
}

/** One delivery each. */
async function notifyEvenly(user) {
  const { perSecond, seconds } = STREAM;
  const start = performance.now();
  const under = new Set();
  for (let index = 0; index < perSecond * seconds; index += 1) {
    await pause(Math.max(0, start + (index * 1000) / perSecond - performance.now()));
    const one = notify(user).finally(() => under.delete(one));
    under.add(one);
  }
  await Promise.all(under);
}
