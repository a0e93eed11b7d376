// Exports put an apostrophe before what a spreadsheet would run as a formula; coming back it is taken away again.

const guarded = /^'+[=+\-@\t\r]/

/** For exports: a text that already looks guarded gets a second apostrophe, so that its own comes back. */
export function keepApostrophe(text: string): string {
  return guarded.test(text) ? `'${text}` : text
}

/** For imports: takes one guarding apostrophe away. */
export function stripApostrophe(text: string): string {
  return guarded.test(text) ? text.slice(1) : text
}
