// What the tools share that look at the console in a browser: the built service, receivers, Chromium.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import { root } from '../support/commands.mjs';

const { CHROMIUM_PATH = '/usr/bin/chromium' } = process.env;
const READY_MS = 30_000;

/** Starts the built service on a new SQLite file. @param flags of Node. */
export async function startService(env = {}, flags = []) {
  const folder = mkdtempSync(join(tmpdir(), 'webhook-console-'));
  const key = `whk_${randomBytes(32).toString('base64url')}`;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, [...flags, join(root, 'dist/service/bundle/main.cjs')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      PORT: `${port}`,
      BOOTSTRAP_API_KEY: key,
      RATE_LIMIT_PER_MINUTE: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const stop = async () => {
    child.kill('SIGTERM');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = () =>
    fetch(`${url}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  if (!(await holds(isReady, READY_MS))) {
    await stop();
    throw new Error('The service did not start: is it built?');
  }
  const call = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  return { url, key, call, stop };
}

/** Listens on a free port. @param tls a key and certificate, for HTTPS. @returns its URL, and a function that closes it. */
export async function listen(handler, tls) {
  const server = tls ? createTlsServer(tls, handler) : createServer(handler);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http${tls ? 's' : ''}://127.0.0.1:${server.address().port}`;
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { url, close };
}

export async function freePort() {
  const { url, close } = await listen(() => {});
  await close();
  return Number(new URL(url).port);
}

export const startBrowser = (...args) =>
  puppeteer.launch({
    executablePath: CHROMIUM_PATH,
    args: [
      ...args,
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-sync',
      '--hide-scrollbars',
    ],
  });

/** Signs a page of its own in. */
export async function signedIn(browser, url, key, viewport = { width: 1280, height: 800 }) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport(viewport);
  await page.goto(`${url}/console/`);
  await logIn(page, key);
  await page.reload();
  await page.waitForSelector('.shell');
  return page;
}

/** Opens a session from a page of the console, which stays as it is. */
export const logIn = (page, key) =>
  page.evaluate(async (given) => {
    const headers = { 'Content-Type': 'application/json' };
    await fetch('/v1/session', { method: 'POST', headers, body: JSON.stringify({ key: given }) });
  }, key);

/** Looks until it is so. @returns whether it was within that time. */
export async function holds(look, withinMs) {
  const end = performance.now() + withinMs;
  while (!(await look())) {
    if (performance.now() > end) return false;
    await pause(50);
  }
  return true;
}
