import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import type { z } from 'zod';
import { wholeNumber } from './fields.js';
import { nearest } from './nearest.js';

/** Options after the `?` of a `mysql://` URL, under their names in code. */
export interface UrlOptions {
  /** `ca` are certificates in PEM form. */
  ssl?: { ca?: Buffer; verifyIdentity: boolean };
  connectionLimit?: number;
  waitingLimit?: number;
  connectTimeoutMs?: number;
}

/** The bounds of a pool of connections, wherever they are set. */
export const poolFields = {
  connectionLimit: wholeNumber(1, 10_000),
  waitingLimit: wholeNumber(1, 1_000_000),
  connectTimeoutMs: wholeNumber(100, 600_000),
};

const NUMBERS: Record<string, keyof typeof poolFields> = {
  connection_limit: 'connectionLimit',
  waiting_limit: 'waitingLimit',
  connect_timeout_ms: 'connectTimeoutMs',
};
const NAMES = ['ssl_ca', 'ssl', ...Object.keys(NUMBERS)];
const MODES = ['true', 'false', 'verify-ca'];
const BEGIN = '-----BEGIN CERTIFICATE-----';
const CERTIFICATE = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

/** The URL up to the name of the database. */
export const withoutOptions = (url: string) => (url.startsWith('sqlite:') ? url : url.replace(/\?.*/s, ''));

/** Whether the host of a `mysql://` URL is an IP address, and not a name. */
export const hasAddress = (url: string) => isIP(new URL(url).hostname.replace(/^\[|\]$/g, '')) !== 0;

/**
 * The options of a URL; none for SQLite. Reads the file of `ssl_ca`.
 *
 * @throws Error that completes the sentence "the URL …". It quotes no name or value but that of the file: with an unencoded
 * password, anything else may be a part of it.
 */
export function urlOptionsOf(url: string): UrlOptions {
  if (url.startsWith('sqlite:')) return {};
  const given = new URL(url).searchParams;
  checkNames([...given.keys()]);
  const options: UrlOptions = {};
  const ssl = tlsOf(given.get('ssl'), given.get('ssl_ca'));
  if (ssl) options.ssl = ssl;
  if (ssl?.verifyIdentity && hasAddress(url)) {
    throw new Error(
      "asks for a certificate that names the host, which an IP address cannot have; write the host's name, or ssl=verify-ca to check only who has signed it",
    );
  }
  for (const [name, key] of Object.entries(NUMBERS)) {
    const text = given.get(name);
    if (text !== null) options[key] = readNumber(name, text, poolFields[key]);
  }
  return options;
}

function checkNames(names: string[]): void {
  for (const name of names) {
    if (NAMES.includes(name)) continue;
    const meant = nearest(name, NAMES);
    throw new Error(
      `has an unknown option after ?${meant ? `, probably meant to be ${meant}` : ''}; there are ${NAMES.join(', ')}`,
    );
  }
  const twice = NAMES.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (twice) throw new Error(`has the option ${twice} twice; write it once`);
}

function tlsOf(mode: string | null, path: string | null): UrlOptions['ssl'] {
  if (mode !== null && !MODES.includes(mode)) {
    throw new Error(
      'has an unknown value of ssl: write true, verify-ca (the certificate may name another host) or false; a file of authorities goes into ssl_ca',
    );
  }
  if (path === null) return mode === null || mode === 'false' ? undefined : checking(mode);
  if (mode === 'false')
    throw new Error('has ssl=false and ssl_ca, which contradict each other; leave one out');
  return { ...checking(mode), ca: readCertificates(path) };
}

const checking = (mode: string | null) => ({ verifyIdentity: mode !== 'verify-ca' });

/** @throws Error if the file cannot be read, or holds no certificate or a damaged one. */
function readCertificates(path: string): Buffer {
  if (path === '') throw new Error('has an empty ssl_ca; write the path of a file of certificates');
  const fail = (reason: string) => new Error(`has in ssl_ca the file ${path}, which ${reason}`);
  let content: Buffer;
  try {
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    content = readFileSync(path);
  } catch (error) {
    throw fail(`cannot be read: ${(error as Error).message}`);
  }
  const text = content.toString();
  if (!text.includes(BEGIN)) throw fail(`holds no certificate in PEM form (${BEGIN})`);
  const certificates = text.match(CERTIFICATE) ?? [];
  if (certificates.length < text.split(BEGIN).length - 1 || !certificates.every(isCertificate)) {
    throw fail('holds a damaged certificate');
  }
  return content;
}

function isCertificate(block: string): boolean {
  try {
    return Boolean(new X509Certificate(block));
  } catch {
    return false;
  }
}

function readNumber(name: string, text: string, field: z.ZodNumber): number {
  const { data, error } = field.safeParse(/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN);
  if (data === undefined) throw new Error(`has a wrong ${name}, which ${error?.issues[0]?.message}`);
  return data;
}
