/** Whether the application's start has checked the database, so that notifications may be stored. */
export class Start {
  private isOver = false;

  end(): void {
    this.isOver = true;
  }

  /** @throws Error before {@link end} */
  check(): void {
    if (this.isOver) return;
    throw new Error(
      'The application has not started, so nothing was stored. Call "await app.init()" or "await app.listen(port)" ' +
        'before; a provider may notify from its onModuleInit on.',
    );
  }
}
