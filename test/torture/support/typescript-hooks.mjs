import { registerHooks } from 'node:module';

// TypeScript's imports name the files that there would be after a build.
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
