import { showToast } from './toasts.ts'

export interface CopyMessage {
  readonly title: string
  readonly text: string
}

/** Puts text on the clipboard and says so; gives whether it worked. */
export async function copyText(value: string, words: CopyMessage): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value)
  } catch {
    // The browser refuses without HTTPS or permission: say how to get the value all the same.
    showToast({
      tone: 'bad',
      title: 'Not copied',
      text: 'The browser refused. Select the text and copy it by hand.',
    })
    return false
  }
  showToast(words)
  return true
}
