import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readDatabaseUrl } from './database-url.js';
import { urlOptionsOf, withoutOptions } from './database-url-options.js';

const SERVER = 'mysql://app:hunter2@db.example/app';
const CA = new URL('../../../test/support/certs/authority.cert.pem', import.meta.url).pathname;
const KEY = new URL('../../../test/support/certs/valid.key.pem', import.meta.url).pathname;

const read = (search: string, server = SERVER) => urlOptionsOf(readDatabaseUrl(`${server}?${search}`));
const ca = readFileSync(CA);

describe('the options of a database URL', () => {
  it.each([
    ['ssl=true', { ssl: { verifyIdentity: true } }],
    ['ssl=verify-ca', { ssl: { verifyIdentity: false } }],
    ['ssl=false', {}],
    [`ssl_ca=${CA}`, { ssl: { verifyIdentity: true, ca } }],
    [`ssl_ca=${encodeURIComponent(CA)}&ssl=verify-ca`, { ssl: { verifyIdentity: false, ca } }],
    ['connection_limit=1&waiting_limit=1000000', { connectionLimit: 1, waitingLimit: 1_000_000 }],
    ['connect_timeout_ms=100', { connectTimeoutMs: 100 }],
    ['', {}],
  ])('are read from ?%s', (search, options) => {
    expect(read(search)).toEqual(options);
    expect(withoutOptions(`${SERVER}?${search}`)).toBe(SERVER);
  });

  it('ask for the certificate of an address only with verify-ca', () => {
    for (const server of ['mysql://app@10.0.0.1/app', 'mariadb://app@[::1]:3307/app']) {
      expect(read('ssl=verify-ca', server)).toEqual({ ssl: { verifyIdentity: false } });
      expect(() => read('ssl=true', server)).toThrow(
        /an IP address.*write the host's name, or ssl=verify-ca/,
      );
      expect(() => read(`ssl_ca=${CA}`, server)).toThrow(/an IP address/);
    }
  });

  it.each([
    ['sslca=x', /meant to be ssl_ca; there are ssl_ca, ssl, connection_limit, waiting_limit/],
    ['ssl-ca=x', /meant to be ssl_ca;/],
    ['sslmode=REQUIRED', /meant to be ssl;/],
    ['SSL=true', /meant to be ssl;/],
    ['connect_timeout=5', /meant to be connect_timeout_ms;/],
    ['connectionLimit=5', /meant to be connection_limit;/],
    ['tls=true', /unknown option after \?; there are ssl_ca, ssl,/],
    ['=true', /unknown option after \?; there are/],
    ['ssl', /unknown value of ssl: write true, verify-ca/],
    ['ssl=TRUE', /unknown value of ssl/],
    ['ssl=/etc/ca.pem', /a file of authorities goes into ssl_ca/],
    ['ssl=true&ssl=false', /the option ssl twice/],
    [`ssl=false&ssl_ca=${CA}`, /contradict each other/],
    ['ssl_ca=', /empty ssl_ca/],
    ['connection_limit=0', /wrong connection_limit, which must be a whole number from 1 to 10000/],
    ['connection_limit=', /wrong connection_limit/],
    ['connection_limit=1e3', /wrong connection_limit/],
    ['waiting_limit=-1', /wrong waiting_limit, which must be a whole number from 1 to 1000000/],
    ['connect_timeout_ms=5', /wrong connect_timeout_ms, which must be a whole number from 100 to 600000/],
    ['ssl=true#hunter2', /must not contain #; write it as %23/],
    ['hunter2=hunter2', /unknown option/],
    ['ssl=hunter2', /unknown value/],
    ['hunter2@db/app', /percent-encoded/],
  ])('are refused as ?%s, and nothing of them is quoted', (search, message) => {
    expect(() => read(search)).toThrow(message);
    expect(() => read(search)).not.toThrow(/hunter2/);
  });

  it('are none for SQLite', () => {
    expect(() => readDatabaseUrl('sqlite:./a.sqlite?ssl=true')).toThrow(/SQLite takes none/);
    expect(urlOptionsOf('sqlite:./a.sqlite')).toEqual({});
  });

  describe('with a file of authorities', () => {
    let folder: string;
    const file = (content: string) => {
      const path = join(folder, 'ca.pem');
      writeFileSync(path, content);
      return path;
    };
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'database-ca-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it('take any number of certificates, with comments', () => {
      expect(read(`ssl_ca=${file(`# one\n${ca}\n# two\n${ca}`)}`).ssl?.ca?.toString()).toMatch(/# two/);
    });

    it.each([
      ['that is not there', () => join(folder, 'none.pem'), /none\.pem, which cannot be read: ENOENT/],
      ['that is a folder', () => folder, /which cannot be read: it is not a file/],
      ['that is empty', () => file(''), /ca\.pem, which holds no certificate in PEM form/],
      ['that is a private key', () => KEY, /holds no certificate in PEM form/],
      ['that ends early', () => file(ca.toString().slice(0, -80)), /holds a damaged certificate/],
      ['whose second ends early', () => file(`${ca}${ca}`.slice(0, -80)), /holds a damaged certificate/],
      ['that is damaged', () => file(ca.toString().replace(/[A-Z]{2}/g, 'AA')), /no certificate|damaged/],
    ])('are refused with one %s', (_title, path, message) => {
      expect(() => read(`ssl_ca=${encodeURIComponent(path())}`)).toThrow(message);
    });
  });
});
