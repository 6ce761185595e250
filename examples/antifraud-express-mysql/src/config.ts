import { env } from 'node:process';

export const {
  DATABASE_URL = 'mysql://root@127.0.0.1:3306/antifraud',
  /** `id:base64 of 32 bytes`, comma separated; the first encrypts, all decrypt. */
  ENCRYPTION_KEYS = '',
  /** Set to `true` for receivers on this machine. */
  ALLOW_PRIVATE_NETWORK = 'false',
} = env;
