import { registerHooks } from 'node:module';

// TypeScript imports name the built files (.js), so this resolves them to their sources (.ts).
registerHooks({
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      if (!specifier.startsWith('.')) throw error;
      return next(specifier.replace(/\.js$/, '.ts'), context);
    }
  },
});
