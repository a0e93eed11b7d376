// Exports put an apostrophe before a text that a spreadsheet would run as a formula. Imports remove it again.

const guarded = /^'+[=+\-@\t\r]/

/** For exports: a text that has such an apostrophe of its own gets a second one, so that its own survives an import. */
export function keepApostrophe(text: string): string {
  return guarded.test(text) ? `'${text}` : text
}

/** For imports: removes one such apostrophe. */
export function stripApostrophe(text: string): string {
  return guarded.test(text) ? text.slice(1) : text
}
