import type { ReactNode } from 'react'
import { Logo } from '../../ui/Logo.tsx'
import { lazyComponent } from '../../ui/lazy-component.ts'
import { ThemeSwitch } from '../../ui/ThemeSwitch.tsx'
import { LanguageSwitch } from './LanguageSwitch.tsx'
import { t } from '../../language/t.ts'

// Decoration: the form does not wait for it.
const SignInPicture = lazyComponent(() => import('./GatePicture.tsx'), 'SignInPicture')

interface EntryFrameProps {
  readonly title: string
  /** The line below the title. */
  readonly text: ReactNode
  readonly children: ReactNode
}

/** The frame of all pages before the console opens: signing in, a new password. */
export function EntryFrame({ title, text, children }: EntryFrameProps) {
  return (
    <div className="min-h-dvh bg-surface lg:grid lg:grid-cols-[55fr_45fr]">
      <main className="flex min-h-dvh flex-col px-6 py-6 sm:px-12 sm:py-9">
        <div className="flex items-center gap-2.5">
          <Logo size={30} />
          <span className="text-lg font-semibold tracking-[-0.01em]">{t('Tollgate')}</span>
        </div>
        <div className="mx-auto my-auto w-full max-w-92 pt-10 pb-24 [--control:2.5rem] pointer-coarse:[--control:2.75rem]">
          <h1 className="text-[1.5rem] leading-8 tracking-[-0.02em] max-sm:text-xl">{title}</h1>
          <p className="pt-1 pb-6 text-md text-ink-3">{text}</p>
          {children}
        </div>
        <div className="-ms-1.5 flex flex-wrap items-center gap-x-3">
          <LanguageSwitch />
          <ThemeSwitch hasLabel />
        </div>
      </main>
      <div className="fixed top-0 end-0 hidden h-dvh w-[45%] border-s border-line bg-sidebar lg:block">
        <SignInPicture />
      </div>
    </div>
  )
}
