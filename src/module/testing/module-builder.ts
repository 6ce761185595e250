/** The part of Nest's `TestingModuleBuilder` that is needed here. */
export interface ModuleBuilder {
  overrideProvider(token: unknown): {
    useValue(value: unknown): unknown;
    // biome-ignore lint/suspicious/noExplicitAny: as in Nest, the types of the arguments follow from `inject`
    useFactory(provider: { factory: (...injected: any[]) => unknown; inject?: any[] }): unknown;
  };
}

/** What `compile()` fills. Nest does not document it, so it may be missing. */
interface Compiled {
  container?: { getModules?(): ReadonlyMap<unknown, unknown> };
}

/**
 * @param user the function that replaces something in it.
 * @throws Error if it is not a builder, or is compiled already, because nothing can be replaced then.
 */
export function checkBuilder(builder: ModuleBuilder, user: string): void {
  if (typeof builder?.overrideProvider !== 'function') {
    throw new Error(
      `${user} needs the builder that Test.createTestingModule({ … }) returned, and not what compile() made of it.`,
    );
  }
  const modules = (builder as Compiled).container?.getModules?.();
  if (modules && modules.size > 0) {
    throw new Error(
      `${user} replaced nothing: compile() was called before. Call ${user}(builder) first, and builder.compile() after it.`,
    );
  }
}
