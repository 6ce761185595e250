import { readFileSync } from 'node:fs';

/** A certificate or a key of this folder, as PEM. */
export const pem = (file: string) => readFileSync(new URL(`./${file}.pem`, import.meta.url), 'utf8');

/** What a client shows that `authority` knows, as `tls` of a webhook. */
export const clientTls = (name: 'client' | 'other') => ({
  client_certificate: pem(`${name}.cert`),
  client_key: pem(`${name}.key`),
});
