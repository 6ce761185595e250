/** Of the package, put in by the build. */
declare const __VERSION__: string;
