/**
 * Why a file is not read: the name of a bound that it passes, or of what is wrong with it. The words for people are in
 * ../faults.ts.
 */
export class Fault extends Error {
  /**
   * @param {string} code
   * @param {number} [line] where it was found; the first is 1
   */
  constructor(code, line) {
    super(code)
    this.code = code
    this.line = line
  }
}
