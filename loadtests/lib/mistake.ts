/**
 * What the user wrote cannot be. It is thrown where that is noticed, and its message is one sentence: what is
 * wrong, where, and what to do. The command shows the sentence alone and ends with exit code 2; any other
 * error is a bug of ours and is shown with its stack. k6 imports this file too, so it imports nothing.
 */
export class Mistake extends Error {}
