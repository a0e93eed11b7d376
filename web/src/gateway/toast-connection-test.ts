import type { ConnectionTest } from '@tollgate/contract/connections.ts'
import { showToast } from '../ui/toasts.ts'

/** 'Test Successful' or 'Test Failed', with what it was and why. */
export function toastConnectionTest(name: string, { success, error, durationMs }: ConnectionTest): void {
  showToast({
    tone: success ? 'ok' : 'bad',
    title: success ? 'Test Successful' : 'Test Failed',
    text: success ? `${name} bound in ${durationMs} ms.` : `${name}: ${error ?? ''}`,
  })
}
