import { saveFile } from './save-file.ts'

/** Text from people must not become a formula in a spreadsheet. +44… stays a number. */
function cell(value: string | number): string {
  const text = String(value)
    .replaceAll('"', '""')
    .replace(/^(?:[=@\t\r]|[+-](?!\d+$))/, "'$&")
  return `"${text}"`
}

/** Saves a table that was made in the browser, with its first line. */
export function saveCsv(name: string, head: string, rows: readonly (readonly (string | number)[])[]): void {
  const lines = [head, ...rows.map((row) => row.map(cell).join(','))].join('\r\n')
  saveFile(name, new Blob([lines], { type: 'text/csv' }))
}
