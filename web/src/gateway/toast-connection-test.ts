import type { ConnectionTest } from '@tollgate/contract/connections.ts'
import { showToast } from '../ui/toasts.ts'

/** Shows 'Test Successful' or 'Test Failed', with the name and the reason. */
export function toastConnectionTest(name: string, { success, error, durationMs }: ConnectionTest): void {
  showToast({
    tone: success ? 'ok' : 'bad',
    title: success ? 'Test Successful' : 'Test Failed',
    text: success ? `${name} bound in ${durationMs} ms.` : `${name}: ${error ?? ''}`,
  })
}
