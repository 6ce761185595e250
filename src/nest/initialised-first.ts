import type { Type } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';

/**
 * Has Nest initialise a module before all others. Nest begins with the most distant ones, global ones before the others; but an
 * application's own global modules may come before one of ours, and what they emit in `onModuleInit` has to find it initialised.
 *
 * @param modules of the constructor of this module: later, Nest has sorted them.
 */
export function initialiseFirst(module: Type, modules: ModulesContainer): void {
  for (const one of modules.values()) if (one.metatype === module) one.distance = Infinity;
}
