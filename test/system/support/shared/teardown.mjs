export default async function tearDown() {
  await globalThis.endShared();
  await globalThis.endRun();
}
