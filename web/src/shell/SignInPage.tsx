import { useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { useSession } from '../api/session.tsx'
import { resetFeed } from '../api/use-feed.ts'
import { paths } from '../paths.ts'
import { Mark } from '../ui/Mark.tsx'
import { clearToast } from '../ui/toasts.ts'
import { Tabs } from '../ui/Tabs.tsx'
import type { User } from '@tollgate/contract/users.ts'
import { GatePicture } from './GatePicture.tsx'
import { RegisterForm } from './RegisterForm.tsx'
import { SignInForm } from './SignInForm.tsx'
import { ThemeSwitch } from './ThemeSwitch.tsx'
import { useTitle } from './use-title.ts'

/** Only an address of this console: a link must not send people elsewhere after signing in. */
export function safeNext(next: unknown): string {
  const isOurs = typeof next === 'string' && next.startsWith('/') && !/^\/[/\\]/.test(next)
  return isOurs && !next.startsWith(paths.auth) ? next : paths.home
}

/** Spec §2: /auth at all times, and / while nobody is signed in. */
export function SignInPage() {
  useTitle('Sign In')
  const [tab, setTab] = useState<'signin' | 'register'>('signin')
  const { user, setUser } = useSession()
  const [entered, setEntered] = useState<{ id: number; next: string }>()
  const router = useRouter()
  const search: { next?: unknown } = useSearch({ strict: false })
  const enter = (answer: User) => {
    setUser(answer)
    resetFeed()
    clearToast()
    // Kept now: the address it stands in is about to change.
    setEntered({ id: answer.id, next: safeNext(search.next) })
  }
  useEffect(() => {
    // Only once the session knows the person: a page opened earlier would send them back here.
    if (entered && user?.id === entered.id) router.history.replace(entered.next)
  }, [entered, user, router])
  return (
    <div className="min-h-dvh bg-surface lg:grid lg:grid-cols-[55fr_45fr]">
      <main className="flex min-h-dvh flex-col px-6 py-6 sm:px-12 sm:py-9">
        <div className="flex items-center gap-2.5">
          <Mark size={30} />
          <span className="text-lg font-semibold tracking-[-0.01em]">Tollgate</span>
        </div>
        <div className="mx-auto my-auto w-full max-w-92 py-10 [--control:2.5rem] pointer-coarse:[--control:2.75rem]">
          <h1 className="text-[1.5rem] leading-8 tracking-[-0.02em] max-sm:text-xl">
            Premium SMS Gateway Platform
          </h1>
          <p className="pt-1 pb-6 text-md text-ink-3">Every message counted, priced and paid.</p>
          <Tabs
            label="Sign in or register"
            look="segmented"
            value={tab}
            onChange={setTab}
            tabs={[
              { value: 'signin', label: 'Sign In', content: <SignInForm onDone={enter} /> },
              { value: 'register', label: 'Register', content: <RegisterForm onDone={enter} /> },
            ]}
          />
        </div>
        <div className="-ml-1.5">
          <ThemeSwitch hasWord />
        </div>
      </main>
      <div className="fixed top-0 right-0 hidden h-dvh w-[45%] border-l border-line bg-sidebar lg:block">
        <GatePicture />
      </div>
    </div>
  )
}
