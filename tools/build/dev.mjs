// Builds the sources and runs the service from them: `npm run start:dev`, which starts this anew at every change.
import './files.mjs';

await import('../../dist/src/service/main.js');
