import { type DynamicModule, Module } from '@nestjs/common';
import { consoleController } from './console.controller.js';
import { ConsoleFiles } from './console-files.js';
import type { ConsoleMount } from './console-path.js';

/** The page on which users manage their webhooks. */
@Module({})
export class ConsoleModule {
  static at(mount: ConsoleMount): DynamicModule {
    return { module: ConsoleModule, providers: [ConsoleFiles], controllers: [consoleController(mount)] };
  }
}
