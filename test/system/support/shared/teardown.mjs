export default () => globalThis.endShared();
