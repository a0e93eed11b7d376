import { Outlet } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { useEffect, useState } from 'react'
import { LeaveGuard } from '../api/LeaveGuard.tsx'
import type { AccountTab } from '../users/account/AccountDialog.tsx'
import { useUser } from '../api/session.tsx'
import { useStaleSince } from '../api/use-feed.ts'
import { usePreferencesInStep } from '../api/use-preferences.ts'
import { reauthentication, signInAgain, useIsWaiting } from '../api/waiting-calls.ts'
import { lazyComponent } from '../ui/lazy-component.ts'
import { phoneQuery, useMediaQuery } from '../ui/use-media-query.ts'
import { isBoolean, useScreenSetting } from '../ui/screen-settings.ts'
import { FactorAdvice } from '../users/sign-in/FactorAdvice.tsx'
import { FailedSignIns } from '../users/sign-in/FailedSignIns.tsx'
import { useCatchUp } from './use-catch-up.ts'
import { useShortcuts } from './shortcuts.ts'
import { Sidebar } from './Sidebar.tsx'
import { StaleNotice } from './StaleNotice.tsx'
import { usePagePreload } from './use-page-preload.ts'
import { useRoleChange } from './use-role-change.ts'
import { t } from '../language/t.ts'

// Loaded when it is opened.
const PhoneMenu = lazyComponent(() => import('./PhoneMenu.tsx'), 'PhoneMenu')
const CommandPalette = lazyComponent(() => import('./CommandPalette.tsx'), 'CommandPalette')
const ShortcutSheet = lazyComponent(() => import('./ShortcutSheet.tsx'), 'ShortcutSheet')
const AccountDialog = lazyComponent(() => import('../users/account/AccountDialog.tsx'), 'AccountDialog')
const ReauthenticateDialog = lazyComponent(
  () => import('../users/sign-in/ReauthenticateDialog.tsx'),
  'ReauthenticateDialog',
)
const SignInAgainDialog = lazyComponent(
  () => import('../users/sign-in/SignInAgainDialog.tsx'),
  'SignInAgainDialog',
)

/** The sidebar, the page, and the dialogs of the shell. */
export function AppShell() {
  const isPhone = useMediaQuery(phoneQuery)
  const [isRail, setRail] = useScreenSetting('rail', false, isBoolean)
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [over, setOver] = useState<'palette' | 'shortcuts' | 'account'>()
  const [accountTab, setAccountTab] = useState<AccountTab>('password')
  const { hasSecondFactor } = useUser()
  const needsPassword = useIsWaiting(reauthentication)
  const needsSignIn = useIsWaiting(signInAgain)
  const staleSince = useStaleSince()
  useCatchUp(staleSince)
  const isStale = staleSince !== undefined
  // On the whole document: the sidebar, drawers and dialogs have status icons too.
  useEffect(() => {
    document.documentElement.toggleAttribute('data-stale', isStale)
    return () => document.documentElement.removeAttribute('data-stale')
  }, [isStale])
  usePagePreload()
  usePreferencesInStep()
  useRoleChange()
  const openPalette = () => {
    setMenuOpen(false)
    setOver('palette')
  }
  const openAccount = (tab: AccountTab) => {
    setMenuOpen(false)
    setAccountTab(tab)
    setOver('account')
  }
  useShortcuts({ openPalette, openSheet: () => setOver('shortcuts'), toggleRail: () => setRail(!isRail) })
  const close = () => setOver(undefined)
  return (
    <div className="min-h-dvh sm:flex">
      <SkipLink />
      {isPhone ? (
        <>
          <button
            type="button"
            aria-label={t('menu')}
            aria-haspopup="dialog"
            aria-expanded={isMenuOpen}
            onClick={() => setMenuOpen(true)}
            className="fixed top-1.5 start-1.5 z-30 grid size-11 place-items-center rounded-md text-ink-2"
          >
            <MenuIcon size={20} strokeWidth={1.6} aria-hidden="true" />
          </button>
          {isMenuOpen && (
            <PhoneMenu onClose={() => setMenuOpen(false)} onSearch={openPalette} onAccount={openAccount} />
          )}
        </>
      ) : (
        <aside
          data-no-print
          className={`sticky top-0 z-10 h-dvh shrink-0 border-e border-line ${isRail ? 'w-14' : 'w-(--sidebar-width)'}`}
        >
          <Sidebar isRail={isRail} onSearch={openPalette} onAccount={openAccount} />
        </aside>
      )}
      <main
        id="content"
        tabIndex={-1}
        className="min-w-0 grow px-7 py-5.5 outline-none max-lg:px-5 max-sm:px-4 max-sm:pt-0"
      >
        {/* On a phone the page's header comes first, beside the menu button; without one, the notices leave it its room. */}
        <div className="mx-auto max-w-[90rem] space-y-4 max-sm:flex max-sm:flex-col">
          <div className="space-y-4 empty:hidden max-sm:[&:not(:has(~header))]:pt-18">
            {staleSince !== undefined && <StaleNotice since={staleSince} />}
            <FailedSignIns />
            {!hasSecondFactor && <FactorAdvice onSetUp={() => openAccount('factor')} />}
          </div>
          <Outlet />
        </div>
      </main>
      {over === 'palette' && (
        <CommandPalette
          isOpen
          onClose={close}
          onShortcuts={() => setOver('shortcuts')}
          onAccount={openAccount}
        />
      )}
      {over === 'shortcuts' && <ShortcutSheet onClose={close} />}
      {over === 'account' && <AccountDialog onClose={close} first={accountTab} />}
      <LeaveGuard />
      {needsPassword && <ReauthenticateDialog />}
      {needsSignIn && <SignInAgainDialog />}
    </div>
  )
}

/** The first element for the Tab key. */
function SkipLink() {
  return (
    <a
      href="#content"
      onClick={(event) => {
        // Moves the focus without changing the hash, so that the address keeps its filters.
        event.preventDefault()
        document.getElementById('content')?.focus()
      }}
      className="sr-only z-60 rounded-md bg-raised px-3 py-2 font-medium text-accent-ink shadow-pop focus:not-sr-only focus:fixed focus:top-2 focus:start-2"
    >
      {t('Skip to content')}
    </a>
  )
}
