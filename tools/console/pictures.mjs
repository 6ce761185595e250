// Takes the pictures of the console in docs/pictures from a real run: `npm run build && npm run console:pictures`.
// It needs Chromium (CHROMIUM_PATH, /usr/bin/chromium by default) and takes about a minute.
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from '../support/commands.mjs';
import { listen, signedIn, startBrowser, startService } from './support.mjs';

const OUT = join(root, 'docs/pictures');
const VIEWPORT = { width: 1200, height: 860, deviceScaleFactor: 1.5 };
/** A README that loads slowly is not read. */
const MAX_BYTES = 150_000;

/** The hour that the pictures show passes a minute at a time: the clock of the service steps, its timers do not. */
const MINUTES = 55;
const STEP_MS = 600;
const MINUTE_MS = 60_000;

const startedAt = Date.now() + 4_000;
const CLOCK = `
const now = Date.now;
const offset = () => Math.min(0, Math.max(0, Math.floor((now() - ${startedAt}) / ${STEP_MS})) - ${MINUTES}) * ${MINUTE_MS};
Date.now = () => now() + offset();
`;
const minute = () => Math.floor((Date.now() - startedAt) / STEP_MS);

const between = (from, to) => from + Math.random() * (to - from);
const certificate = (name) => readFileSync(join(root, `test/support/certs/${name}.pem`));

/** What it answers, by the minute. */
const answering = (answer) =>
  listen(async (request, response) => {
    request.resume();
    const [status, ms, body = '', headers = {}] = answer(minute());
    await pause(ms);
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });

const receivers = {
  crm: await answering(() => [200, between(12, 45), '{"ok":true}']),
  ledger: await answering((at) =>
    at > 20 && at < 27
      ? [503, 30, '{"error":"down for maintenance"}', { 'x-node': 'ledger-2' }]
      : [202, between(40, 220)],
  ),
  fraud: await answering((at) =>
    at > 38 ? [401, between(5, 9), '{"error":"the signature does not match"}'] : [204, between(20, 60)],
  ),
  partner: await answering((at) =>
    at > 47 ? [410, 8, '{"error":"this address has moved"}'] : [200, between(80, 400)],
  ),
};
const archive = await listen((_request, response) => response.end(), {
  key: certificate('expired.key'),
  cert: certificate('expired.cert'),
});

const service = await startService({ LOG_LEVEL: 'fatal' }, [
  '--import',
  `data:text/javascript,${encodeURIComponent(CLOCK)}`,
]);
const browser = await startBrowser();
try {
  await run();
  await take();
} finally {
  await browser.close();
  await service.stop();
  await Promise.all([...Object.values(receivers), archive].map(({ close }) => close()));
}

async function run() {
  const settings = { retry_schedule_seconds: [120, 300] };
  const create = (name, { url }, events) =>
    service.call('POST', '/v1/webhook', { name, url: `${url}/hooks`, events, settings });
  await create('CRM sync', receivers.crm, ['RECORD_FINISHED', 'STATUS_CHANGED']);
  await create('Ledger', receivers.ledger, ['RECORD_FINISHED', 'ANALYSIS_FINISHED']);
  await create('Fraud desk', receivers.fraud, [
    { kind: 'ANALYSIS_FINISHED', filter: { 'analysis.status': 'INVALID' } },
    'STATUS_CHANGED',
  ]);
  await create('Partner feed', receivers.partner, ['STATUS_CHANGED']);
  await create('Archive', archive, [{ kind: 'RECORD_FINISHED', filter: { country: 'BR' } }]);
  for (let number = 1; minute() < MINUTES; number += 1) {
    await service.call('POST', '/v1/notification', notification(number));
    await pause(between(10, 60));
  }
}

function notification(number) {
  const isGood = Math.random() < 0.8;
  const analysis = {
    id: `ana_${8000 + number}`,
    status: isGood ? 'VALID' : 'INVALID',
    score: Number(between(0.2, 1).toFixed(3)),
  };
  const record = {
    id: `rec_${4000 + number}`,
    name: ['Ada Lovelace', 'Grace Hopper', 'Rita Levi', 'Emmy Noether'][number % 4],
    country: number % 9 === 0 ? 'BR' : 'DE',
    analysis: [analysis],
  };
  const event_kind = ['RECORD_FINISHED', 'STATUS_CHANGED', 'ANALYSIS_FINISHED'][number % 3];
  return { event_kind, user_id: 'admin', record, analysis_id: analysis.id };
}

async function take() {
  mkdirSync(OUT, { recursive: true });
  const page = await signedIn(browser, service.url, service.key, VIEWPORT);
  for (const scheme of ['light', 'dark']) {
    await page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value: scheme },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
    await show(page, '/overview?period=hour', '.troubles li');
    await picture(page, `overview-${scheme}.webp`);
    await show(page, `/deliveries/${await mended()}`, '.attempts');
    await picture(page, `delivery-${scheme}.webp`);
  }
}

/** A delivery that succeeded in the end. */
async function mended() {
  for (let cursor = ''; cursor !== null; ) {
    const query = new URLSearchParams({ status: 'SUCCEEDED', limit: '100', ...(cursor && { cursor }) });
    const { data, next_cursor } = await service.call('GET', `/v1/webhook/trigger/list?${query}`);
    const found = data.find(({ attempt_count }) => attempt_count > 1);
    if (found) return found.id;
    cursor = next_cursor;
  }
  throw new Error('No delivery was mended by a second attempt');
}

async function show(page, path, selector) {
  await page.goto(`${service.url}/console${path}`, { waitUntil: 'networkidle2' });
  await page.waitForSelector(selector);
}

async function picture(page, name) {
  const path = join(OUT, name);
  await page.screenshot({ path, type: 'webp', quality: 80 });
  const { size } = statSync(path);
  console.log(`${name}: ${size} bytes`);
  if (size > MAX_BYTES) throw new Error(`${name} is larger than ${MAX_BYTES} bytes`);
}
