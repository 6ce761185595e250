/** What the work below takes on the machine on which bounds are set, in milliseconds of its processor. */
const REFERENCE_MS = 57;
const TEXT = JSON.stringify(
  Array.from({ length: 2000 }, (_, n) => ({ id: `rec_${n}`, value: n / 7, n: [n] })),
);

function takenMs() {
  const begin = process.cpuUsage();
  for (let n = 0; n < 60; n++) JSON.stringify(JSON.parse(TEXT));
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1000;
}

/** How many times as slow as the reference this machine is; 1 if it is not slower. */
export const slowness = () => Math.max(1, Math.min(takenMs(), takenMs(), takenMs()) / REFERENCE_MS);
