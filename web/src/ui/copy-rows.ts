import { copyText } from './copy-text.ts'
import { showToast } from './toasts.ts'
import { t } from '../language/t.ts'

/** Copies rows as tab-separated lines for a spreadsheet. Toasts of Spec §8. */
export async function copyRows(lines: readonly (readonly string[])[]): Promise<void> {
  if (lines.length === 0) {
    showToast({ tone: 'bad', title: t('No rows selected'), text: t('Please select rows to copy') })
    return
  }
  const clean = (value: string) => value.replace(/[\t\r\n]+/g, ' ')
  await copyText(lines.map((line) => line.map(clean).join('\t')).join('\n'), {
    title: t('Copied to clipboard'),
    text: t('{count} row(s) copied successfully', { count: lines.length }),
  })
}
