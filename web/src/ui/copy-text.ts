import { showToast } from './toasts.ts'
import { t } from '../language/t.ts'

export interface CopyMessage {
  readonly title: string
  readonly text: string
}

/** Copies text to the clipboard and shows a toast. Returns whether it worked. */
export async function copyText(value: string, words: CopyMessage): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    // The browser refuses without HTTPS or permission. The toast says how to get the value anyway.
    showToast({
      tone: 'bad',
      title: t('Not copied'),
      text: t('The browser refused. Select the text and copy it by hand.'),
    })
    return false
  }
  showToast(words)
  return true
}
