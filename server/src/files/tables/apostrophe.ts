// Exports put an apostrophe before a text that a spreadsheet would run as a formula. Imports remove it again, and what people
// put around digits so that a spreadsheet keeps them all.

const guarded = /^'+[=+\-@\t\r]/

/** For exports: a text that has such an apostrophe of its own gets a second one, so that its own survives an import. */
export function keepApostrophe(text: string): string {
  return guarded.test(text) ? `'${text}` : text
}

// So that a spreadsheet takes the digits for a text: ="449098790142".
const textFormula = /^="((?:[^"]|"")*)"$/

/** For imports: removes one such apostrophe, or takes the text out of a formula that is nothing but a text. */
export function stripApostrophe(text: string): string {
  if (guarded.test(text)) return text.slice(1)
  const [, quoted] = textFormula.exec(text) ?? []
  return quoted === undefined ? text : quoted.replaceAll('""', '"')
}

/** For imports, of a cell that has a figure: also the apostrophe that makes a text of it in a spreadsheet. */
export function stripTextMark(text: string): string {
  return text.replace(/^['\u2018\u2019`]\s*(?=[+\d.])/, '')
}
