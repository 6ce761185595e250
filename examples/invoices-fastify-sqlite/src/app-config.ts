import { env } from 'node:process';
import { Injectable, Module } from '@nestjs/common';

export const { DATABASE_URL = 'sqlite:data/invoices.sqlite' } = env;

const { ENCRYPTION_KEYS = '', ALLOW_PRIVATE_NETWORK = 'false' } = env;

/** What differs from one place to another. An application that has Nest's ConfigService injects that instead. */
@Injectable()
export class AppConfig {
  /** `id:base64 of 32 bytes`, comma separated; the first encrypts, all decrypt. */
  readonly encryptionKeys = ENCRYPTION_KEYS;
  /** For receivers on this machine. */
  readonly allowPrivateNetwork = ALLOW_PRIVATE_NETWORK === 'true';
}

@Module({ providers: [AppConfig], exports: [AppConfig] })
export class AppConfigModule {}
