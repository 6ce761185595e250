/** Injection token of the application's `EventEmitter2`. */
export const EMITTER = Symbol('EMITTER');
