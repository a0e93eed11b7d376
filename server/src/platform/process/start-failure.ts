/**
 * A reason not to start that the operator can mend: main prints the message as one line on stderr and exits with 1.
 * Anything else thrown during the start is a bug and keeps its stack.
 */
export class StartFailure extends Error {
  override readonly name = 'StartFailure'
}
