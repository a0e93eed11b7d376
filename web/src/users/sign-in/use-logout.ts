import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { messageOf } from '../../api/api-error.ts'
import { useSession } from '../../api/session.tsx'
import { paths } from '../../paths.ts'
import { showToast } from '../../ui/toasts.ts'
import { t } from '../../language/t.ts'

/** Spec §2: after logout the browser goes to /auth, even if the call fails. */
export function useLogout(): { logOut: () => void; isBusy: boolean } {
  const { logOut } = useSession()
  const navigate = useNavigate()
  const [isBusy, setBusy] = useState(false)
  const run = async () => {
    setBusy(true)
    try {
      await logOut()
    } catch (error) {
      showToast({ tone: 'bad', title: t('Logout failed'), text: messageOf(error) })
    }
    setBusy(false)
    await navigate({ to: paths.auth })
  }
  return { logOut: () => void run(), isBusy }
}
