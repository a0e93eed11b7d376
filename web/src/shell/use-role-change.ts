import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useUser } from '../api/session.tsx'
import { showToast } from '../ui/toasts.ts'
import { roleLabel } from '../users/role-label.ts'
import { t } from '../language/t.ts'

/** Says that the person's role has changed, and reads everything anew with it. */
export function useRoleChange(): void {
  const { role } = useUser()
  const client = useQueryClient()
  const shown = useRef(role)
  useEffect(() => {
    if (shown.current === role) return
    shown.current = role
    showToast({
      title: t('Your role is now {role}', { role: roleLabel(role) }),
      text: t('Pages and buttons follow it.'),
    })
    void client.invalidateQueries()
  }, [client, role])
}
