import type { SecureContextOptions } from 'node:tls';
import { z } from 'zod';
import { flag } from '../../platform/config/fields.js';

/** Node's options of TLS that the driver of MySQL and MariaDB passes on. */
type DriverTls = Pick<
  SecureContextOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'ciphers' | 'minVersion' | 'maxVersion'
>;

/** TLS to MySQL or MariaDB: Node's options `ca`, `cert`, `key` and so on, and what is checked. */
export interface DatabaseTls extends DriverTls {
  /** Whether the certificate has to be signed by `ca`, or else by an authority that Node trusts. @default true */
  rejectUnauthorized?: boolean;
  /** Whether the certificate has to name the host in the URL. @default true */
  verifyIdentity?: boolean;
}

const anything = z.unknown().optional();

const fields: Record<keyof DatabaseTls, z.ZodType> = {
  ca: anything,
  cert: anything,
  key: anything,
  passphrase: anything,
  ciphers: anything,
  minVersion: anything,
  maxVersion: anything,
  rejectUnauthorized: flag.optional(),
  verifyIdentity: flag.optional(),
};

/** `true` is TLS with Node's defaults. The driver ignores the options of Node that are not listed here. */
export const tlsField = z.preprocess(
  (given) => (given === true ? {} : given === false ? undefined : given),
  z.strictObject(fields, { error: 'must be true, or options such as { ca }' }).optional(),
);

/** The driver's options. It would not check the host's name by default, and takes no `true`. */
export function driverTls(ssl: boolean | DatabaseTls | undefined): object {
  if (!ssl) return {};
  const given = ssl === true ? {} : ssl;
  return { ssl: { ...given, verifyIdentity: checksIdentity(given) } };
}

/** Whether the certificate has to name the host. */
export const checksIdentity = ({ rejectUnauthorized = true, verifyIdentity = true }: DatabaseTls) =>
  rejectUnauthorized && verifyIdentity;
