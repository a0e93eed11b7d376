import type { Route } from '@tollgate/contract/route.ts'
import { useState } from 'react'
import { saveFile } from '../ui/save-file.ts'
import { showToast } from '../ui/toasts.ts'
import { t } from '../language/t.ts'
import { messageOf } from './api-error.ts'
import { callFile } from './call.ts'

/** Saves what a route answers as a file, and then calls `onDone`; a toast says why it failed. */
export function useFileExport() {
  const [isBusy, setBusy] = useState(false)
  const save = async <R extends Route>(
    route: R,
    call: Parameters<typeof callFile<R>>[1],
    onDone?: () => void,
  ) => {
    setBusy(true)
    try {
      const { name, content } = await callFile(route, call)
      saveFile(name, content)
      onDone?.()
    } catch (error) {
      showToast({ tone: 'bad', title: t('Failed to export'), text: messageOf(error) })
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, save }
}
