import type { DynamicModule } from '@nestjs/common';

/** The part of `@nestjs/config` that the documents use; it is no dependency of this project. */
export declare class ConfigModule {
  static forRoot(options: { isGlobal: boolean }): DynamicModule;
}

export declare class ConfigService {
  get<T>(name: string): T | undefined;
  getOrThrow<T>(name: string): T;
}
