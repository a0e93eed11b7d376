import type { ConnectionTest } from '@tollgate/contract/connections/connections.ts'
import { showToast } from '../ui/toasts.ts'
import { testFailure } from './TestResult.tsx'
import { t } from '../language/t.ts'

/** Shows 'Test Successful' or 'Test Failed', with the name and the reason. */
export function toastConnectionTest(name: string, test: ConnectionTest): void {
  const { success, durationMs } = test
  showToast({
    tone: success ? 'ok' : 'bad',
    title: success ? t('Test Successful') : t('Test Failed'),
    text: success
      ? t('{name} bound in {durationMs} ms.', { name, durationMs })
      : `${name}: ${testFailure(test)}`,
  })
}
