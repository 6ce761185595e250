type Task = () => unknown;

const tasks = new Set<Task>();

/** Remembers what must not be left behind, whatever happens. @returns the function that forgets it */
export function atEnd(task: Task): () => void {
  tasks.add(task);
  return () => tasks.delete(task);
}

/** Undoes all that is remembered, the last first. */
export async function cleanUp(): Promise<void> {
  for (const task of [...tasks].reverse()) {
    tasks.delete(task);
    await Promise.resolve(task()).catch((error: Error) => console.error(error.message));
  }
}
