/** The part of Nest's `TestingModuleBuilder` that is needed here. */
export interface ModuleBuilder {
  overrideProvider(token: unknown): { useValue(value: unknown): unknown };
}
