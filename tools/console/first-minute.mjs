// How long a new user takes from the sources to a verified notification in the console: `npm run console:first-minute`.
// It copies what is committed, runs `npm ci && npm start` there, and presses what a person would press, in Chromium.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { outside, root, run } from '../support/commands.mjs';
import { freePort, startBrowser } from './support.mjs';

const SECONDS = 60;
const CLICKS = 6;
const WITHIN_MS = 180_000;

const folder = mkdtempSync(join(tmpdir(), 'webhook-first-minute-'));
const processes = [];
const start = performance.now();
const passed = () => (performance.now() - start) / 1000;
let clicks = 0;
try {
  run('sh', ['-c', `git -C '${root}' archive HEAD | tar -x -C '${folder}'`], { cwd: root, env: process.env });
  await firstMinute();
} finally {
  for (const { pid } of processes) stop(pid);
  rmSync(folder, { recursive: true, force: true });
}

async function firstMinute() {
  const port = await freePort();
  const service = begin('sh', ['-c', 'npm ci --no-audit --no-fund && npm start'], { PORT: `${port}` });
  const [link] = await service.says(/http:\S+#code=\S+/);
  console.log(`${passed().toFixed(1)} s: the service runs, and has printed its link`);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(link);
    // The receiver that the page offers, and where it says that it listens.
    await press(page, 'receiver.mjs', 'summary');
    await press(page, 'Copy', '.steps button');
    const source = await page.$eval('.steps pre', (element) => element.textContent);
    const at = await freePort();
    writeFileSync(join(folder, 'receiver.mjs'), source.replaceAll('4000', `${at}`));
    await press(page, 'New webhook', '.steps a');
    await fill(page, 'name', 'My first');
    await fill(page, 'url', `http://localhost:${at}`);
    await press(page, 'Create webhook', 'button');
    await page.waitForSelector('dialog .secret');
    const secret = await page.$eval('dialog .secret code', (element) => element.textContent);
    await press(page, 'Copy', 'dialog .secret button');
    const receiver = begin(process.execPath, ['receiver.mjs'], { WEBHOOK_SECRET: secret });
    await receiver.says(/Receiving/);
    await press(page, 'Send a test', 'dialog button');
    await receiver.says(/WEBHOOK_TEST/);
    await page.waitForFunction(() =>
      /Delivered: answered 204/.test(document.querySelector('.toasts').innerText),
    );
  } finally {
    await browser.close();
  }
  const seconds = passed();
  const isGood = seconds < SECONDS && clicks <= CLICKS;
  console.log(
    `${seconds.toFixed(1)} s, ${clicks} clicks: a test was delivered, verified and shown${isGood ? '' : ', too late'}`,
  );
  process.exitCode = isGood ? 0 : 1;
}

async function press(page, text, selector) {
  await page.waitForFunction(
    (within, wanted) =>
      [...document.querySelectorAll(within)].some((one) => (one.innerText || one.title).includes(wanted)),
    {},
    selector,
    text,
  );
  for (const element of await page.$$(selector)) {
    if (!(await element.evaluate((one, wanted) => (one.innerText || one.title).includes(wanted), text)))
      continue;
    await element.click();
    clicks += 1;
    return;
  }
}

async function fill(page, name, text) {
  const field = await page.waitForSelector(`[name=${name}]`);
  await field.focus();
  await page.keyboard.type(text);
}

/** Starts a process. `says` resolves with what it prints once that matches, and fails if it ends before. */
function begin(command, args, env) {
  const child = spawn(command, args, {
    cwd: folder,
    env: { ...outside(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  processes.push(child);
  let output = '';
  const waiting = new Set();
  const look = (text) => {
    output += text;
    for (const one of waiting) one();
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', look);
  child.once('exit', () => look(''));
  const says = (pattern) =>
    new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`${command} ${why}:\n${output}`));
      const timer = setTimeout(() => fail(`has not said ${pattern}`), WITHIN_MS);
      const check = () => {
        const found = pattern.exec(output);
        if (!found && child.exitCode === null) return;
        waiting.delete(check);
        clearTimeout(timer);
        if (found) resolve(found);
        else fail('has ended');
      };
      waiting.add(check);
      check();
    });
  return { says };
}

/** With all that it has started. */
function stop(pid) {
  try {
    process.kill(-pid, 'SIGTERM');
  } catch {
    // It has ended.
  }
}
