import { useLocation, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../../api/session.tsx'
import { paths } from '../../paths.ts'
import { clearToast } from '../../ui/toasts.ts'
import { Tabs } from '../../ui/Tabs.tsx'
import type { SignedInUser } from '@tollgate/contract/users/users.ts'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { EntryFrame } from './EntryFrame.tsx'
import { SignInForm } from './SignInForm.tsx'
import { useTitle } from '../../ui/use-title.ts'
import { t } from '../../language/t.ts'

// Loaded when it is opened.
const RegisterForm = lazyComponent(() => import('./RegisterForm.tsx'), 'RegisterForm')
const ForgotPassword = lazyComponent(() => import('./ForgotPassword.tsx'), 'ForgotPassword')
const ResetPasswordPage = lazyComponent(() => import('./ResetPasswordPage.tsx'), 'ResetPasswordPage')

/** Accepts only addresses of this console: a link must not lead people elsewhere after the sign-in. */
export function safeNextPath(next: unknown): string {
  const isOurs = typeof next === 'string' && next.startsWith('/') && !/^\/[/\\]/.test(next)
  return isOurs && !next.startsWith(paths.auth) ? next : paths.home
}

/** Spec §2: /auth at all times, and / without a session. */
export function SignInPage() {
  const token = useResetToken()
  const [username, setUsername] = useState('')
  if (token.value === undefined) return <SignIn key={username} username={username} />
  const leave = (known?: string) => {
    if (known !== undefined) setUsername(known)
    token.forget()
  }
  return <ResetPasswordPage token={token.value} onDone={leave} />
}

/**
 * The token of a one-time link. It leaves the address at once, so that neither the history nor a screenshot keeps it.
 */
function useResetToken(): { value: string | undefined; forget: () => void } {
  const router = useRouter()
  const { hash } = useLocation()
  const [value, setValue] = useState<string>()
  const inHash = /^reset=([\w-]+)$/.exec(hash)?.[1]
  if (inHash !== undefined && inHash !== value) setValue(inHash)
  useEffect(() => {
    if (inHash !== undefined) void router.navigate({ to: paths.auth, hash: '', replace: true })
  }, [inHash, router])
  return { value, forget: () => setValue(undefined) }
}

function SignIn({ username }: { username: string }) {
  useTitle(t('Sign In'))
  const [forgotten, setForgotten] = useState<string>()
  const { user, setUser } = useSession()
  const [entered, setEntered] = useState<{ id: number; next: string }>()
  const router = useRouter()
  const search: { next?: unknown; tab?: unknown } = useSearch({ strict: false })
  const enter = (answer: SignedInUser) => {
    setUser(answer)
    clearToast()
    // Stored now, because the address is about to change.
    setEntered({ id: answer.id, next: safeNextPath(search.next) })
  }
  useEffect(() => {
    // Only once the session has the user: a page opened earlier would redirect back here.
    if (entered && user?.id === entered.id) router.history.replace(entered.next)
  }, [entered, user, router])
  if (forgotten !== undefined)
    return (
      <EntryFrame title={t('Forgot password?')} text={t('A link lets you choose a new one.')}>
        <ForgotPassword account={forgotten} onBack={() => setForgotten(undefined)} />
      </EntryFrame>
    )
  return (
    <EntryFrame title={t('Premium SMS Gateway Platform')} text={t('Every message counted, priced and paid.')}>
      <Tabs
        label={t('Sign in or register')}
        look="segmented"
        value={search.tab === 'register' ? 'register' : 'signin'}
        onChange={(tab) => void router.navigate({ to: '.', search: { ...search, tab }, replace: true })}
        tabs={[
          {
            value: 'signin',
            label: t('Sign In'),
            content: <SignInForm username={username} onDone={enter} onForgot={setForgotten} />,
          },
          { value: 'register', label: t('Register'), content: <RegisterForm onDone={enter} /> },
        ]}
      />
    </EntryFrame>
  )
}
