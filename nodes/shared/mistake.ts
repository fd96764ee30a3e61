/** What the user asked for cannot be done: one sentence that says what, where and what to do. */
export class Mistake extends Error {
  constructor(
    message: string,
    readonly description?: string,
  ) {
    super(message);
    this.name = 'Mistake';
  }
}
