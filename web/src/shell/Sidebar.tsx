import type { AccountTab } from '../users/account/AccountDialog.tsx'
import { Link, useMatchRoute } from '@tanstack/react-router'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { LogOut, Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useUser } from '../api/session.tsx'
import { paths } from '../paths.ts'
import { Button } from '../ui/Button.tsx'
import { classNames } from '../ui/class-names.ts'
import { IconButton } from '../ui/IconButton.tsx'
import { KeyCap } from '../ui/KeyCap.tsx'
import { Logo } from '../ui/Logo.tsx'
import { Count } from '../ui/Tabs.tsx'
import { Tooltip } from '../ui/Tooltip.tsx'
import { LiveClock } from './LiveClock.tsx'
import { isInSidebar, type NavCount } from './console-page.ts'
import { AccountMenu } from './AccountMenu.tsx'
import { useShellRows, type ShellRow } from './shell-context.ts'
import { ThemeSwitch } from '../ui/ThemeSwitch.tsx'
import { lazyComponent } from '../ui/lazy-component.ts'
import { useLogout } from '../users/sign-in/use-logout.ts'
import { t } from '../language/t.ts'

// Loaded after the shell, so that the first page stays small.
const NotificationsButton = lazyComponent(
  () => import('../notifications/NotificationsButton.tsx'),
  'NotificationsButton',
)
const OwnNotificationsButton = lazyComponent(
  () => import('../notifications/OwnNotificationsButton.tsx'),
  'OwnNotificationsButton',
)
const notificationsPlace = <span className="size-7 pointer-coarse:size-11" />

interface SidebarProps {
  readonly isRail: boolean
  readonly onSearch: () => void
  readonly onAccount: (tab: AccountTab) => void
  /** Closes the sheet on a phone. */
  readonly onNavigate?: () => void
}

/** The sidebar: search, navigation, account. Folded to a rail it shows every label as a tooltip. */
export function Sidebar({ isRail, onSearch, onAccount, onNavigate }: SidebarProps) {
  const user = useUser()
  const { role } = user
  const { groups } = useShellRows()
  const visible = groups
    .map((group) => ({ ...group, rows: group.rows.filter((row) => isInSidebar(user, row.page)) }))
    .filter((group) => group.rows.length > 0)
  // A bill belongs to Payment Management where somebody has both rows.
  const active = visible.flatMap(({ rows }) => rows).findLast(useIsActive())
  return (
    <div className="flex h-full flex-col bg-sidebar">
      <div className={classNames('flex flex-col gap-3 pt-4 pb-2', isRail ? 'items-center' : 'px-3')}>
        <div className="flex items-center gap-2.5 ps-1.5 [aside_&]:min-h-7">
          <Logo />
          {!isRail && <span className="text-md font-semibold tracking-[-0.01em]">{t('Tollgate')}</span>}
          {!isRail && (
            <span className="ms-auto flex items-center gap-1">
              {isPermitted(role, 'alerts') && <NotificationsButton waiting={notificationsPlace} />}
              {role === 'user' && <OwnNotificationsButton waiting={notificationsPlace} />}
              <ThemeSwitch />
            </span>
          )}
        </div>
        <div className={isRail ? 'w-full' : 'px-1.5'}>
          <LiveClock isRail={isRail} />
        </div>
        {isRail && isPermitted(role, 'alerts') && (
          <NotificationsButton side="right" waiting={notificationsPlace} />
        )}
        {isRail && role === 'user' && <OwnNotificationsButton side="right" waiting={notificationsPlace} />}
        {isRail ? (
          <IconButton icon={Search} label={t('Search or jump to')} side="right" onClick={onSearch} />
        ) : (
          <button
            type="button"
            onClick={onSearch}
            className="flex h-(--control) items-center gap-2 rounded-md border border-line bg-surface px-2 text-ink-3 shadow-card hover:border-line-strong"
          >
            <Search size={16} strokeWidth={1.6} aria-hidden="true" />
            <span className="grow text-start">{t('Search or jump to')}</span>
            {/* A touch screen has no keys. */}
            <span className="pointer-coarse:hidden">
              <KeyCap>{t('Ctrl K')}</KeyCap>
            </span>
          </button>
        )}
      </div>
      <nav aria-label={t('Main')} className="min-h-0 grow overflow-y-auto pb-4">
        {visible.map((group, index) => (
          <div key={group.title} className="px-2">
            {isRail
              ? index > 0 && <div className="mx-2.5 my-2.5 border-t border-line" />
              : group.title !== '' && (
                  <h2 className="px-2.5 pt-4 pb-1.5 text-xs font-medium text-ink-3">{group.title}</h2>
                )}
            <ul className="space-y-px">
              {group.rows.map((row) => (
                <li key={row.page.path}>
                  <Entry
                    row={row}
                    isActive={row === active}
                    isRail={isRail}
                    {...(onNavigate && { onNavigate })}
                  />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      <Footer isRail={isRail} onAccount={onAccount} />
    </div>
  )
}

/** '/' and '/dashboard' are the same page (Spec §2). Addresses below a page belong to it. */
function useIsActive(): (row: ShellRow) => boolean {
  const matchRoute = useMatchRoute()
  return ({ page: { path }, covers = [] }) => {
    if (covers.some((other) => matchRoute({ to: other }) !== false)) return true
    if (path !== paths.home) return matchRoute({ to: path, fuzzy: true }) !== false
    return matchRoute({ to: path }) !== false || matchRoute({ to: paths.dashboard }) !== false
  }
}

interface EntryProps {
  readonly row: ShellRow
  readonly isActive: boolean
  readonly isRail: boolean
  readonly onNavigate?: () => void
}

function Entry({ row, isActive, isRail, onNavigate }: EntryProps) {
  const { page, label, icon: Icon } = row
  const link = (
    <Link
      to={page.path}
      activeProps={{}}
      // The router would mark '/' on every page below it, so aria-current is set here.
      aria-current={isActive ? 'page' : undefined}
      onClick={onNavigate}
      className={classNames(
        'relative flex h-7.5 items-center gap-2.5 rounded-md border font-medium max-sm:h-11',
        isRail ? 'justify-center' : 'px-2.5',
        isActive
          ? 'border-line bg-surface text-ink shadow-card before:absolute before:-start-2.25 before:h-4.5 before:w-1 before:rounded-e-full before:bg-accent forced-colors:before:bg-[Highlight]'
          : 'border-transparent text-ink-2 hover:bg-surface-3 hover:text-ink',
      )}
    >
      <Icon
        size={16}
        strokeWidth={1.6}
        aria-hidden="true"
        className={classNames('shrink-0', isActive && 'text-accent-ink')}
      />
      <span className={isRail ? 'sr-only' : 'grow truncate tracking-[-0.01em]'}>{label}</span>
      {page.loadCount && <EntryCount load={page.loadCount} isRail={isRail} />}
    </Link>
  )
  return isRail ? (
    <Tooltip text={label} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}

type UseCount = () => NavCount | undefined

/** A counter where somebody must act. It is loaded after the shell, so that the first page stays small. */
function EntryCount({ load, isRail }: { load: () => Promise<UseCount>; isRail: boolean }) {
  const [useCount, setUseCount] = useState<UseCount>()
  useEffect(() => {
    // Without its script there is no counter. Opening the page shows the error.
    load().then(
      (hook) => setUseCount(() => hook),
      () => undefined,
    )
  }, [load])
  return useCount && <KnownCount useCount={useCount} isRail={isRail} />
}

function KnownCount({ useCount, isRail }: { useCount: UseCount; isRail: boolean }) {
  const count = useCount()
  if (!count || count.value === 0) return null
  return isRail ? (
    <>
      <span aria-hidden="true" className="absolute top-1 end-1.5 size-2 rounded-full bg-warn-lamp" />
      <span className="sr-only">{count.value}</span>
    </>
  ) : (
    <Count value={count.value} tone={count.tone} />
  )
}

function Footer({ isRail, onAccount }: Pick<SidebarProps, 'isRail' | 'onAccount'>) {
  const { logOut, isBusy } = useLogout()
  const menu = <AccountMenu isRail={isRail} onAccount={onAccount} />
  if (isRail)
    return (
      <footer className="grid place-items-center gap-1 border-t border-line py-2.5">
        {menu}
        <IconButton icon={LogOut} label={t('Logout')} side="right" disabled={isBusy} onClick={logOut} />
      </footer>
    )
  return (
    <footer className="flex items-center justify-between gap-1 border-t border-line px-2.25 py-2.5 pb-[max(0.625rem,env(safe-area-inset-bottom))]">
      {menu}
      <Button size="sm" icon={LogOut} onClick={logOut} isBusy={isBusy}>
        {t('Logout')}
      </Button>
    </footer>
  )
}
