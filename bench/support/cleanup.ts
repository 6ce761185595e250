type Task = () => unknown;

const tasks = new Set<Task>();

/** Registers a step that undoes something at the end, even after a failure. @returns the function that unregisters it */
export function atEnd(task: Task): () => void {
  tasks.add(task);
  return () => tasks.delete(task);
}

/** Runs all registered steps, the last one first. */
export async function cleanUp(): Promise<void> {
  for (const task of [...tasks].reverse()) {
    tasks.delete(task);
    await Promise.resolve(task()).catch((error: Error) => console.error(error.message));
  }
}
